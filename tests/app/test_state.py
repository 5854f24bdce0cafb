"""The settings that the app reads from the environment."""

import os
from pathlib import Path

import pytest

from app.state import folders, is_read_only, is_sample


def test_the_folders_are_those_that_the_command_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RLVITALS_PATHS", os.pathsep.join(["/a", "b c"]))
    assert folders() == (Path("/a"), Path("b c"))


def test_without_a_named_folder_runs_and_the_sample_runs_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RLVITALS_PATHS", raising=False)
    here, samples = folders()
    assert (here, samples.name) == (Path("runs"), "sample_runs")


def test_it_is_read_only_where_it_was_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RLVITALS_READ_ONLY", "1")
    assert is_read_only()
    monkeypatch.delenv("RLVITALS_READ_ONLY")
    assert not is_read_only()


def test_a_run_below_sample_runs_is_a_sample(tmp_path: Path) -> None:
    assert is_sample(tmp_path / "sample_runs" / "a")
    assert not is_sample(tmp_path / "runs" / "a")
