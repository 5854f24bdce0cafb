"""Trainings as processes, for tests that start, kill and compare them."""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch

from diagnostics.readers.files.json_lines import parse_row
from tests.trainer.clocks import CLOCKS
from tests.trainer.forked import ForkedTraining
from trainer.launch.resuming import newest_resumable


@dataclass(frozen=True)
class Training:
    """A run directory, and the processes that train into it."""

    directory: Path

    def start(self, *words: str) -> ForkedTraining:
        """Start `trainer.main train` with these arguments, --run_dir or --resume among them."""
        return ForkedTraining(["train", *words], self.directory.parent)

    def train(self, *words: str) -> tuple[int, str]:
        """Train a new run to completion; returns the exit code and the output."""
        return self.run(*words, "--run_dir", self.directory.name)

    def resume(self, *words: str) -> tuple[int, str]:
        """Resume the run and train to completion."""
        return self.run("--resume", self.directory.name, *words)

    def kill_after(self, steps: int, *words: str) -> None:
        """Train a new run until that many steps are logged, then kill the process at an arbitrary point."""
        self.kill_when(lambda: len(self.lines) >= steps, *words, seconds_between_looks=0.005)

    def kill_when(self, is_time: Callable[[], bool], *words: str, seconds_between_looks: float = 0.0) -> None:
        """Train a new run until the condition holds, then kill the process at an arbitrary point."""
        process = self.start(*words, "--run_dir", self.directory.name)
        while not is_time():
            assert process.poll() is None, process.communicate()[1]
            time.sleep(seconds_between_looks)
        process.kill()
        process.communicate()

    @property
    def lines(self) -> list[dict[str, Any]]:
        """The complete lines of events.jsonl; a torn one is left out."""
        return self._rows("events.jsonl")

    @property
    def samples(self) -> list[dict[str, Any]]:
        """The lines of samples.jsonl."""
        return self._rows("samples.jsonl")

    @property
    def metrics(self) -> dict[int, str]:
        """Every step's metrics except times, as text so that NaN equals NaN; of a step logged twice, the later ones."""
        return {
            row["step"]: json.dumps({name: value for name, value in row["metrics"].items() if name not in CLOCKS})
            for row in self.lines
        }

    @property
    def status(self) -> dict[str, Any]:
        """The contents of status.json."""
        found: dict[str, Any] = json.loads((self.directory / "status.json").read_bytes())
        return found

    @property
    def newest_state(self) -> dict[str, Any]:
        """The trainer_state.pt of the newest checkpoint."""
        found = newest_resumable(self.directory)
        assert found is not None
        state: dict[str, Any] = torch.load(found[1] / "trainer_state.pt", weights_only=True)
        return state

    def _rows(self, name: str) -> list[dict[str, Any]]:
        path = self.directory / name
        whole = path.read_bytes().split(b"\n")[:-1] if path.exists() else []
        return [row for row in map(parse_row, whole) if row is not None]

    def run(self, *words: str) -> tuple[int, str]:
        """Run `trainer.main train` with these arguments to completion; returns the exit code and the output."""
        process = self.start(*words)
        _, errors = process.communicate(timeout=180)
        return process.wait(), errors


@pytest.fixture
def training(tmp_path: Path) -> Callable[[str], Training]:
    """training("a"): the run in the folder a."""
    return lambda name: Training(tmp_path / name)


@pytest.fixture(scope="session")
def training_in() -> Callable[[Path], Training]:
    """training_in(folder): the run in that folder, for runs shared by several tests."""
    return Training


@pytest.fixture
def same_state() -> Callable[[Any, Any], bool]:
    """Whether two saved states are bitwise equal."""
    return _have_same_values


def _have_same_values(one: Any, other: Any) -> bool:
    if isinstance(one, torch.Tensor):
        return torch.equal(one, other)
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(_have_same_values(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(_have_same_values, one, other))
    return bool(one == other) or (one != one and other != other)  # NaN counts as equal to NaN
