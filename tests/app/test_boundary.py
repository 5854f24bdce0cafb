"""Nothing outside of the folders shown is opened, whatever the address or a link says."""

from pathlib import Path

import pytest

from app.load.runs import runs_below, snapshot_of
from diagnostics.api import UnreadableRun
from diagnostics.boundary import Boundary, OutsideFolders
from diagnostics.runlog import RunLog


def write(directory: Path) -> Path:
    with RunLog(directory, algorithm="grpo", total=1) as log:
        log.log(1, {"reward": 1.0})
        log.close("finished")
    return directory


@pytest.fixture
def shown(tmp_path: Path) -> Path:
    """The folder that is shown, with a run; beside it lies another one."""
    write(tmp_path / "shown" / "inside")
    write(tmp_path / "hidden" / "secret")
    return tmp_path / "shown"


def test_a_run_inside_is_opened_by_any_of_its_names(shown: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(shown.parent)
    (shown.parent / "link").symlink_to(shown)
    for name in (shown / "inside", "shown/inside", "shown/../shown/inside", "link/inside"):
        assert snapshot_of(str(name), Boundary.around([shown])).run.name == "inside"


@pytest.mark.parametrize(
    "path",
    ["{hidden}", "{shown}/../hidden/secret", "{shown}/linked", "{shown}/folder/secret", "/", "..", "/nowhere", ""],
)
def test_another_path_is_refused_in_one_sentence_that_does_not_tell_whether_it_exists(shown: Path, path: str) -> None:
    hidden = shown.parent / "hidden" / "secret"
    (shown / "linked").symlink_to(hidden)
    (shown / "folder").symlink_to(hidden.parent)
    with pytest.raises(OutsideFolders) as refused:
        snapshot_of(path.format(shown=shown, hidden=hidden), Boundary.around([shown]))
    named = path.format(shown=shown, hidden=hidden)
    assert refused.value.sentence == f"{named} is not below the folders that this page shows ({shown})"


@pytest.mark.parametrize("name", ["a" * 5000, "nul\0", "../" * 2000 + "etc"])
def test_a_name_that_no_file_has_is_one_sentence(shown: Path, name: str) -> None:
    with pytest.raises(UnreadableRun) as refused:
        snapshot_of(f"{shown}/{name}", Boundary.around([shown]))
    assert len(refused.value.sentence) < 1000


def test_links_that_lead_outside_are_left_out_of_the_list_and_counted(shown: Path) -> None:
    outside = shown.parent / "outside.jsonl"
    outside.write_text('{"step": 1, "reward": 1.0}\n{"step": 2, "reward": 2.0}\n')
    (shown / "linked").symlink_to(shown.parent / "hidden" / "secret")
    (shown / "nest").mkdir()
    (shown / "nest" / "log.jsonl").symlink_to(outside)
    (shown / "same").symlink_to(shown / "inside")
    found = runs_below(Boundary.around([shown]))
    assert [ref.name for ref in found.refs] == ["inside"]
    assert found.links_out == 2


def test_a_folder_whose_only_run_lies_behind_a_link_holds_none(shown: Path) -> None:
    (shown / "empty").mkdir()
    (shown / "empty" / "link").symlink_to(shown.parent / "hidden")
    with pytest.raises(UnreadableRun, match="holds no known run"):
        snapshot_of(str(shown / "empty"), Boundary.around([shown]))


def test_a_run_named_by_one_of_its_files_is_inside_and_its_neighbours_are_not(tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    for name in ("a.jsonl", "b.jsonl"):
        (folder / name).write_text('{"step": 1, "reward": 1.0}\n{"step": 2, "reward": 2.0}\n')
    boundary = Boundary.around([folder / "a.jsonl"])
    (ref,) = runs_below(boundary).refs
    assert snapshot_of(str(ref.path), boundary).run.steps.tolist() == [1, 2]
    with pytest.raises(OutsideFolders):
        snapshot_of(str(folder / "b.jsonl"), boundary)


def test_a_link_that_turns_outside_later_is_refused_from_then_on(shown: Path) -> None:
    (shown / "link").symlink_to(shown / "inside")
    boundary = Boundary.around([shown])
    assert snapshot_of(str(shown / "link"), boundary).run.name
    (shown / "link").unlink()
    (shown / "link").symlink_to(shown.parent / "hidden" / "secret")
    with pytest.raises(OutsideFolders):
        snapshot_of(str(shown / "link"), boundary)
