"""Names tell runs apart."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from diagnostics.wording.run_names import distinct_names


def test_a_name_that_no_other_run_has_is_kept() -> None:
    assert distinct_names([("cut-off", Path("/r/cut-off")), ("b", Path("/r/x/y"))]) == ["cut-off", "b"]


def test_six_folders_of_one_name_get_as_many_leading_folders_as_tell_them_apart() -> None:
    paths = [Path(f"/logs/{name}/tb/trl") for name in ("a", "b", "c", "d", "e", "f")]
    assert distinct_names([("tb/trl", path) for path in paths]) == [f"{name}/tb/trl" for name in "abcdef"]


def test_each_gets_no_more_folders_than_it_needs() -> None:
    paths = ["/x/one/run/tb", "/y/one/run/tb", "/y/two/run/tb", "/z/tb"]
    names = distinct_names([("tb", Path(path)) for path in paths])
    assert names == ["x/one/run/tb", "y/one/run/tb", "two/run/tb", "z/tb"]


def test_a_name_that_is_no_part_of_the_path_is_kept_before_it() -> None:
    runs = [("royal-river", Path("/a/wandb/run-1")), ("royal-river", Path("/a/wandb/run-2"))]
    assert distinct_names(runs) == ["royal-river (run-1)", "royal-river (run-2)"]


def test_the_folder_that_a_run_is_called_after_counts_not_the_log_below_it() -> None:
    runs = [("out", Path("/r/seed-1/out/runs/Nov21_vm")), ("out", Path("/r/seed-2/out"))]
    assert distinct_names(runs) == ["seed-1/out", "seed-2/out"]


def test_a_run_whose_name_is_no_part_of_its_path_is_told_from_those_whose_is() -> None:
    runs = [("out/out", Path("/r/seed-1/out/out/runs/Nov21")), ("out/out", Path("/r/seed-2/out"))]
    assert distinct_names(runs) == ["seed-1/out/out", "out/out (seed-2/out)"]


def test_two_logs_in_the_folder_that_both_are_called_after_are_told_apart_by_their_own_names() -> None:
    runs = [("out", Path("/r/out/runs/Nov21")), ("out", Path("/r/out/runs/Nov22")), ("out", Path("/s/out"))]
    assert distinct_names(runs) == ["out (Nov21)", "out (Nov22)", "s/out"]


def test_a_path_that_is_the_end_of_another_one_is_told_from_it() -> None:
    assert distinct_names([("a", Path("b/a")), ("a", Path("/r/b/a"))]) == ["b/a", "r/b/a"]


def test_a_run_that_is_called_like_the_path_of_another_one_is_told_from_it() -> None:
    runs = [("a", Path("/r/x/a")), ("a", Path("/r/y/a")), ("x/a", Path("/r/z"))]
    assert distinct_names(runs) == ["/r/x/a", "y/a", "/r/z"]


@given(st.lists(st.lists(st.sampled_from("ab"), min_size=1, max_size=4), max_size=12))
def test_no_two_runs_have_the_same_name(folders: list[list[str]]) -> None:
    paths = list(dict.fromkeys(Path("/", *parts) for parts in folders))
    names = distinct_names([(path.name, path) for path in paths])
    assert len(set(names)) == len(paths)
