"""The settings that the app reads from the environment."""

import os
from pathlib import Path

import pytest

from app.state import compare_address, folder_of_new_runs, folders, is_read_only, is_sample, run_of_query, run_query
from diagnostics.runlog.parent import SAMPLE_RUNS


def test_the_folders_are_those_that_the_command_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RLVITALS_PATHS", os.pathsep.join(["/a", "b c"]))
    assert folders() == (Path("/a"), Path("b c"))


def test_without_a_named_folder_runs_and_the_sample_runs_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RLVITALS_PATHS", raising=False)
    here, samples = folders()
    assert (here, samples.name) == (Path("runs"), "sample_runs")


def test_new_runs_go_into_the_first_folder_that_is_not_the_sample_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    for named, new in (([SAMPLE_RUNS, Path("/a"), Path("/b")], Path("/a")), ([SAMPLE_RUNS], Path("runs"))):
        monkeypatch.setenv("RLVITALS_PATHS", os.pathsep.join(map(str, named)))
        assert folder_of_new_runs() == new


def test_it_is_read_only_where_it_was_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RLVITALS_READ_ONLY", "1")
    assert is_read_only()
    monkeypatch.delenv("RLVITALS_READ_ONLY")
    assert not is_read_only()


def test_a_run_below_sample_runs_is_a_sample(tmp_path: Path) -> None:
    assert is_sample(tmp_path / "sample_runs" / "a")
    assert not is_sample(tmp_path / "runs" / "a")


@pytest.mark.parametrize("path", ["/r/a b&run=c", "/r/ü", os.fsdecode(b"/r/\xff"), "/r/'\"<x>"])
def test_a_run_is_read_back_from_the_address_whatever_its_name(path: str) -> None:
    assert run_of_query(run_query(Path(path))) == Path(path)


def test_the_address_of_a_comparison_names_each_run() -> None:
    assert compare_address([Path("/r/a b"), Path("/r/c")]) == "compare?run=/r/a%20b&run=/r/c"
