"""A training that a program launches runs below the folders shown, or not at all."""

from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from diagnostics.foreign_files import confine_to
from diagnostics.mcp import launching
from diagnostics.mcp.answers import ToolProblem
from diagnostics.mcp.opening import Library

pytestmark = pytest.mark.process


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    yield Library((tmp_path,))
    confine_to(None)


def test_a_training_that_claims_no_folder_in_time_is_ended(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(launching, "_SECONDS_TO_CLAIM", 0.0)
    with pytest.raises(ToolProblem, match="did not start: no run within 0 s"):
        launching.launch(library, "grpo", {}, "", apply_fixes=False)
    left = [process.pid for process in psutil.process_iter() if str(tmp_path) in " ".join(_words(process))]
    assert left == []


def _words(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.Error:
        return []
