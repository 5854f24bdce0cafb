"""The reader of a run that is one growing file without samples; a format says how its lines are taken in."""

import time
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from diagnostics.model.recording import Recording
from diagnostics.model.samples import Samples
from diagnostics.model.status import Status
from diagnostics.readers.base import UnreadableRun
from diagnostics.readers.run_folder import run_name

SILENCE_LIMIT_SECONDS = 300.0


class FileLog(Protocol):
    """What was read of one file so far."""

    @property
    def was_replaced(self) -> bool:
        """Whether what was read counts no more, and the file has to be read from its start."""

    def read(self) -> bool:
        """Read what was appended; False if nothing was."""

    def status(self, written: float, now: float) -> Status:
        """The state of a run whose file was last written at one moment and looked at in another."""


Log = TypeVar("Log", bound=FileLog)


class FileReader(ABC, Generic[Log]):
    """Follows one file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._log = self.opened()
        self._last: Recording | None = None

    @abstractmethod
    def opened(self) -> Log:
        """The file's log, nothing of it read yet."""

    @abstractmethod
    def record(self, log: Log, status: Status) -> Recording:
        """All that the log holds by now."""

    def name(self) -> str:
        """What the run is called among the other runs of its folder."""
        return name_of(self.path)

    def refresh(self) -> Recording:
        """The run's current Recording; the same object as the last call if nothing changed. Raises UnreadableRun."""
        if not self.path.exists():
            raise UnreadableRun(self.path, f"{self.path} is gone: the log was there and has been removed")
        if self._log.was_replaced:
            self._log, self._last = self.opened(), None
        grew = self._log.read()
        status = self._log.status(self.path.stat().st_mtime, time.time())
        if self._last is None or grew or status != self._last.status:
            self._last = self.record(self._log, status)
        return self._last

    def files(self) -> tuple[Path, ...]:
        """The file."""
        return (self.path,)

    def sample_index(self) -> None:
        """Nothing: such a file holds no samples."""

    def samples_of(self, index: None) -> Samples:
        """No samples."""
        return Samples()


def name_of(file: Path) -> str:
    """A run's name by its folder's and its file's."""
    return f"{run_name(file.parent)}/{file.stem}"


def state_of(written: float, now: float) -> str:
    """`running` while the file grows, `silent` after five minutes; such a file does not say how a run ended."""
    return "running" if now - written <= SILENCE_LIMIT_SECONDS else "silent"
