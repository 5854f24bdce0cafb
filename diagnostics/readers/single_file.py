"""The reader of a run that is one growing file without samples; a format supplies how lines are processed."""

import time
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from diagnostics.model.recording import Recording
from diagnostics.model.samples import Samples
from diagnostics.model.status import Status
from diagnostics.readers.base import UnreadableRun
from diagnostics.readers.run_folder import run_name
from diagnostics.told import told


class FileLog(Protocol):
    """Everything read so far from one file."""

    @property
    def was_replaced(self) -> bool:
        """Whether the file must be read again from its start."""

    def read(self) -> bool:
        """Read what was appended; False if nothing was."""

    def status(self, written: float, now: float) -> Status:
        """The state of a run, given when its file was last written and the current time."""


Log = TypeVar("Log", bound=FileLog)


class FileReader(ABC, Generic[Log]):
    """Follows one file."""

    def __init__(self, path: Path, file: Path | None = None) -> None:
        """`file` holds the run, where the path names one of several in it."""
        self.path = path
        self.file = file or path
        self._log = self.open_log()
        self._last: Recording | None = None

    @abstractmethod
    def open_log(self) -> Log:
        """A new log of the file, nothing read yet."""

    @abstractmethod
    def to_recording(self, log: Log, status: Status) -> Recording:
        """The log's current content as a Recording."""

    def name(self) -> str:
        """The run's name among the runs of its folder."""
        return name_of(self.path)

    def refresh(self) -> Recording:
        """The run's current Recording; the same object as the last call if nothing changed. Raises UnreadableRun."""
        if not self.file.exists():
            raise UnreadableRun(
                self.path, told("{path} is gone: the log was there and has been removed", path=self.path)
            )
        if self._log.was_replaced:
            self._log, self._last = self.open_log(), None
        grew = self._log.read()
        status = self._log.status(self.file.stat().st_mtime, time.time())
        if self._last is None or grew or status != self._last.status:
            self._last = self.to_recording(self._log, status)
        return self._last

    def files(self) -> tuple[Path, ...]:
        """The file."""
        return (self.file,)

    def sample_index(self) -> None:
        """Empty: such a file contains no samples."""

    def samples_of(self, index: None) -> Samples:
        """No samples."""
        return Samples()


def name_of(file: Path) -> str:
    """A run's name from its folder's and its file's name."""
    return f"{run_name(file.parent)}/{file.stem}"
