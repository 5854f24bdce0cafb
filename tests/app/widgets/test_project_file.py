"""The page changes the rlvitals.toml that the command line reads, and nothing else."""

from pathlib import Path

import pytest

from app import state
from app.widgets import project_file
from diagnostics.api import diagnose, open_run
from diagnostics.model.project import Mute
from diagnostics.model.run import Run
from diagnostics.project import add_mute
from diagnostics.project.reading import read_project
from diagnostics.runlog import RunLog

RULE = "truncation-high"
MEANT = "short answers are meant"


@pytest.fixture
def shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "runs"
    monkeypatch.setenv("RLVITALS_PATHS", str(folder))
    return folder


def cut_off(directory: Path) -> Run:
    with RunLog(directory, algorithm="grpo", total=30) as log:
        for step in range(1, 31):
            log.log(step, {"reward": 0.1, "completions/clipped_ratio": 0.95, "completions/mean_length": 8.0})
    return open_run(directory)


def muted(run: Run) -> list[str]:
    return [each.finding.name for each in diagnose(open_run(run.path)).muted]


def test_a_mute_of_this_run_holds_for_no_other_and_is_undone(shown: Path) -> None:
    run, longer, other = (cut_off(shown / name) for name in ("a[1]*", "a[1]*2", "b/a[1]*"))

    assert project_file.mute(run, RULE, f" {MEANT}\x1b ", only_this_run=True, until=None) == ""

    (mute,) = read_project(shown / "rlvitals.toml").mutes
    assert mute.reason == f"{MEANT}␛"
    assert [muted(each) for each in (run, longer, other)] == [[RULE], [], []]
    assert project_file.unmute(run, mute) == ""
    assert muted(run) == []


def test_a_mute_of_the_project_holds_for_every_run_of_it(shown: Path) -> None:
    runs = [cut_off(shown / name) for name in ("a", "b")]
    assert project_file.mute(runs[0], RULE, MEANT, only_this_run=False, until=None) == ""
    assert [muted(run) for run in runs] == [[RULE], [RULE]]


def test_only_what_was_typed_anew_is_written(shown: Path) -> None:
    run, file = cut_off(shown / "a"), shown / "rlvitals.toml"
    as_it_is = {"info": "0.1", "warning": "0.30", "critical": "", "patience": "5"}

    assert project_file.change_limits(run, RULE, as_it_is) == ""
    assert not file.exists()
    assert project_file.change_limits(run, RULE, {**as_it_is, "info": "0.2", "patience": "7"}) == ""
    assert read_project(file).limits == {RULE: {"info": 0.2, "patience": 7}}
    assert project_file.change_limits(open_run(run.path), RULE, {"info": "", "patience": "5"}) == ""
    assert read_project(file).limits == {}


@pytest.mark.parametrize("text", ["much", "nan", "inf", "1e999", "0x10", "1,5", "--1"])
def test_a_value_that_is_no_number_is_refused_and_nothing_is_written(shown: Path, text: str) -> None:
    run = cut_off(shown / "a")
    problem = project_file.change_limits(run, RULE, {"info": "0.2", "warning": text})
    assert problem.startswith(f"{RULE}.warning must be a number, but is ")
    assert problem.endswith("Nothing was written.")
    assert "must be a positive whole number" in project_file.change_limits(run, RULE, {"patience": "0.5"})
    assert "has no limit called" in project_file.change_limits(run, RULE, {"a\n[x]": "1"})
    assert not (shown / "rlvitals.toml").exists()


def test_a_reason_is_asked_for_and_has_a_bound(shown: Path) -> None:
    run = cut_off(shown / "a")
    for reason, words in ((" \n", "needs its reason"), ("x" * 1_001, "at most 1,000 characters")):
        assert words in project_file.mute(run, RULE, reason, only_this_run=True, until=None)
    assert not (shown / "rlvitals.toml").exists()


def test_a_file_in_the_runs_own_folder_is_not_written(shown: Path) -> None:
    run = cut_off(shown / "a")
    add_mute(shown / "a" / "rlvitals.toml", Mute("kl-too-high", "of its owner"))
    before = (shown / "a" / "rlvitals.toml").read_text()

    assert "lies in the run's own folder" in project_file.mute(run, RULE, MEANT, only_this_run=True, until=None)

    assert (shown / "a" / "rlvitals.toml").read_text() == before
    assert not (shown / "rlvitals.toml").exists()


def test_a_read_only_dashboard_writes_nothing_whatever_is_asked(shown: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = cut_off(shown / "a")
    monkeypatch.setenv("RLVITALS_READ_ONLY", "1")
    assert state.is_read_only()
    assert project_file.mute(run, RULE, MEANT, only_this_run=True, until=None).startswith("This dashboard shows it")
    assert project_file.change_limits(run, RULE, {"info": "0.2"}).startswith("This dashboard shows it")
    assert sorted(path.name for path in shown.iterdir()) == ["a"]
