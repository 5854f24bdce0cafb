"""The reader of a run in a file that is rewritten as a whole; a format supplies what its content means."""

from abc import ABC, abstractmethod
from pathlib import Path

from diagnostics.foreign_files import read_whole
from diagnostics.model.recording import Recording
from diagnostics.readers.base import UnreadableRun
from diagnostics.told import told

Seen = tuple[int, int, int]


def seen(file: Path) -> Seen:
    """Values that change when a file is written or replaced: inode, bytes, last change in ns. Raises OSError."""
    found = file.stat()
    return found.st_ino, found.st_size, found.st_mtime_ns


class WholeFileReader(ABC):
    """Rereads its file when it changes; while that is being written, what it held before counts.

    `path` names the run: the file, or a name below it where the file holds several runs. `kind` says what a
    complete file would be.
    """

    kind: str

    def __init__(self, path: Path, file: Path) -> None:
        self.path = path
        self.file = file
        self._seen: Seen | None = None
        self._last: Recording | None = None

    @abstractmethod
    def to_recording(self, content: bytes, written: float) -> Recording | None:
        """The run in the file's content, last written at this time; None if that is incomplete or something else.

        Raises UnreadableRun if it is complete but does not hold the run.
        """

    def refresh(self) -> Recording:
        """The run's current Recording; the same object as the last call if nothing changed. Raises UnreadableRun."""
        try:
            now = seen(self.file)
        except OSError as error:
            message = told("{file} is gone: the file was there and has been removed", file=self.file)
            raise UnreadableRun(self.path, message) from error
        if self._last is None or now != self._seen:
            _, _, changed = now
            found = self.to_recording(self._content(), changed / 1e9)
            self._last, self._seen = found or self._last, now
        if self._last is None:
            raise UnreadableRun(
                self.path, told("{file} is not a {kind}, or is still being written", file=self.file, kind=self.kind)
            )
        return self._last

    def _content(self) -> bytes:
        try:
            return read_whole(self.file)
        except OSError as error:
            raise UnreadableRun(
                self.path, told("{file} cannot be read: {why}", file=self.file, why=error.strerror)
            ) from error
