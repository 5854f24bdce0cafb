"""Growing runs, by trainings and by writers: what is done to them, and the state that they must then show."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from diagnostics.runlog import EVENTS_FILE, RecordError, StatusRecord

COMMAND = Path(sys.executable).with_name("rlvitals")
TRAINING = ("grpo", "--max_steps", "100000", "--per_device_train_batch_size", "8", "--num_generations", "4")
QUIET = ("--report_to", "none", "--save_steps", "50", "--save_total_limit", "2")
PATIENCE = 180.0  # seconds for a process to begin or to end


class Stuck(Exception):  # noqa: N818 - named for what the process is
    """A process did not begin or end in time."""


@dataclass
class GrowingRun:
    """One run directory and the process that writes it."""

    folder: Path
    pace: float
    is_training: bool = False
    steps: int | None = None
    expected: str = "running"
    is_suspended: bool = False
    process: "subprocess.Popen[bytes] | None" = field(default=None, repr=False)
    _size_before: int = 0

    def start(self, *, resumed: bool = False) -> None:
        """Start the process, new or resumed; it leaves the cores to the pages."""
        self._size_before = self._size
        self.process = subprocess.Popen(
            self._training(resumed) if self.is_training else self._writer(resumed),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        )
        os.setpriority(os.PRIO_PROCESS, self.process.pid, 5)
        self.expected = "running"

    def await_begun(self) -> None:
        """Wait until it logs."""
        _wait(lambda: self.has_begun or self.has_ended, f"{self.folder.name} to log")

    def kill(self) -> None:
        """End it without a word."""
        self._end(signal.SIGKILL)
        self.expected = "died"

    def stop(self) -> None:
        """Stop it as a user does; suspended ones cannot hear it."""
        subprocess.run([COMMAND, "stop", self.folder], check=True, capture_output=True)
        self._await_end()
        self.expected = "stopped"

    def suspend(self) -> None:
        """Hold its process."""
        self._signal(signal.SIGSTOP)
        self.is_suspended = True

    def go_on(self) -> None:
        """Release its process."""
        self._signal(signal.SIGCONT)
        self.is_suspended = False

    def replace(self) -> None:
        """Delete the folder under its living process, and begin a new run in its place."""
        grave = self.folder.with_name(f".{self.folder.name}.deleted")
        self.folder.rename(grave)
        self._end(signal.SIGKILL)
        shutil.rmtree(grave)
        self.start()

    def settle(self) -> None:
        """Note an end that came by itself: the last step, or a full disk."""
        if self.expected == "running" and self.has_ended:
            self.expected = "finished" if self.steps is not None else "failed"

    @property
    def has_ended(self) -> bool:
        """Whether its process is gone."""
        return self.process is None or self.process.poll() is not None

    @property
    def has_begun(self) -> bool:
        """Whether it has logged since it was last started."""
        return self._size > self._size_before

    @property
    def step(self) -> int:
        """The step in status.json."""
        try:
            return StatusRecord.read(self.folder).step or 0
        except RecordError:
            return 0

    @property
    def _size(self) -> int:
        events = self.folder / EVENTS_FILE
        return events.stat().st_size if events.exists() else 0

    def _training(self, resumed: bool) -> Sequence[str | Path]:
        words = ("--resume", self.folder) if resumed else (*TRAINING, *QUIET, "--run_dir", self.folder)
        return (COMMAND, "train", *words)

    def _writer(self, resumed: bool) -> Sequence[str | Path]:
        steps = () if self.steps is None else ("--steps", str(self.steps))
        words = ("--pace", str(self.pace), *steps, *(("--resume",) if resumed else ()))
        return (sys.executable, "-m", "benchmarks.enduring.writer", self.folder, *words)

    def _signal(self, number: signal.Signals) -> None:
        assert self.process is not None
        self.process.send_signal(number)

    def _end(self, number: signal.Signals) -> None:
        self._signal(number)
        self.is_suspended = False
        self._await_end()

    def _await_end(self) -> None:
        _wait(lambda: self.has_ended, f"the process of {self.folder.name} to end")


def _wait(look: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + PATIENCE
    while not look():
        if time.monotonic() > deadline:
            raise Stuck(f"waited {PATIENCE:.0f} s for {what}")
        time.sleep(0.1)
