"""Tests of the arguments passed to a launched training."""

from pathlib import Path

from diagnostics.runlog import RunLog
from trainer.launch.new_run import free_name, runs_folder


def test_the_next_free_name_counts_on(tmp_path: Path) -> None:
    (tmp_path / "ppo-1").mkdir()
    assert free_name(tmp_path, "ppo") == "ppo-2"


def test_new_runs_go_into_the_shown_folder_but_beside_a_shown_run(tmp_path: Path) -> None:
    RunLog(tmp_path / "a").close()
    assert runs_folder(tmp_path) == tmp_path
    assert runs_folder(tmp_path / "a") == tmp_path
    assert runs_folder(tmp_path / "not yet there") == tmp_path / "not yet there"
