"""The journal of a training: publishes each step, and passes on requests to stop."""

import signal
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import FrameType
from typing import Any

from diagnostics.runlog import RunLog
from trainer.console import Progress
from trainer.run.sinks import Sinks

FROM_SCHEDULER = (signal.SIGUSR1, signal.SIGUSR2)
"""What a scheduler sends some time before it ends a job: at its time limit, or for another job's sake."""


class StopRequest:
    """Set by SIGTERM, the first Ctrl-C or a scheduler's signal: the loop ends after the current step.

    A second Ctrl-C interrupts at once.
    """

    def __init__(self) -> None:
        self._event = threading.Event()
        self.scheduler_signal = ""
        """The name of the scheduler's signal, if one has come."""
        for number in (signal.SIGTERM, signal.SIGINT, *FROM_SCHEDULER):
            signal.signal(number, self._handle)

    def __bool__(self) -> bool:
        return self._event.is_set()

    def _handle(self, number: int, frame: FrameType | None) -> None:
        self._event.set()
        if number in FROM_SCHEDULER:
            self.scheduler_signal = signal.Signals(number).name
        signal.signal(signal.SIGINT, signal.default_int_handler)


class Journal:
    """Each step, one call writes the run directory, the sinks and the progress line, in this order."""

    def __init__(self, log: RunLog, sinks: Sinks, total: int, stop: StopRequest, last_step: int = 0) -> None:
        """`last_step` is the step that a resumed training continues from."""
        self._log = log
        self._sinks = sinks
        self._stop = stop
        self._progress = Progress(total, last_step)
        self.last_step = last_step

    @property
    def directory(self) -> Path:
        """The run directory."""
        return self._log.directory

    def note_device(self, device: str) -> None:
        """Note the kind of device that trains in the run directory."""
        self._log.note_device(device)

    def check_in_place(self) -> None:
        """Raises RunLogError where the run directory no longer holds this run."""
        self._log.check_in_place()

    @property
    def stop_requested(self) -> bool:
        """Whether the loop should end after the current step."""
        return bool(self._stop)

    def record(
        self,
        step: int,
        metrics: Mapping[str, float],
        samples: Sequence[Mapping[str, Any]],
        histograms: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> None:
        """Write one step; it is on disk when this returns."""
        self._log.log(step, metrics, samples, histograms)
        self._sinks.log(step, metrics, histograms)
        self._progress.show(step, metrics)
        self.last_step = step

    def close(self) -> None:
        """Flush the sinks and end the progress line; the caller closes the run log."""
        self._sinks.close()
        self._progress.close()


class SilentJournal(Journal):
    """The journal of every process but the first, the only one that writes: counts steps and can request a stop."""

    def __init__(self, directory: Path, stop: StopRequest, last_step: int = 0) -> None:
        self._directory = directory
        self._stop = stop
        self.last_step = last_step

    @property
    def directory(self) -> Path:
        """The run directory."""
        return self._directory

    def note_device(self, device: str) -> None:
        """Does nothing: the first process notes it."""

    def check_in_place(self) -> None:
        """Does nothing: the first process asks."""

    def record(self, step: int, *_: Any, **__: Any) -> None:
        """Record that the step is done."""
        self.last_step = step

    def close(self) -> None:
        """Does nothing: no files are open."""
