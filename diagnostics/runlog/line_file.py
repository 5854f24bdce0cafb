"""A file of whole lines that one process appends to; a line that cannot be written completely leaves nothing behind."""

import fcntl
import os
from pathlib import Path
from typing import BinaryIO

from diagnostics.foreign_files import read_end


class LineFile:
    """An append-only file. `append` returns once the kernel has the data, so a killed process loses nothing.

    The file is locked while open; the lock ends with the process, however it ends. An incomplete last line, which a
    power cut may leave, is terminated first, so that the next line stays separate.

    Raises BlockingIOError if another process has the file open.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: BinaryIO = path.open("ab", buffering=0)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if not _ends_whole(path):
                self.append(b"\n")
        except BaseException:
            self._file.close()
            raise

    @property
    def is_in_place(self) -> bool:
        """Whether the path still leads to this very file: it may be gone, or be another's. Raises OSError."""
        try:
            return os.path.samestat(os.fstat(self._file.fileno()), self._path.stat())
        except (FileNotFoundError, NotADirectoryError):
            return False

    def append(self, lines: bytes) -> None:
        """Append whole lines. Raises OSError, with the file unchanged, if they do not fit (the disk is full)."""
        start = os.fstat(self._file.fileno()).st_size
        left = memoryview(lines)
        try:
            while left:
                left = left[self._file.write(left) :]
        except OSError:
            os.ftruncate(self._file.fileno(), start)
            raise

    def close(self) -> None:
        """Close the file; later calls do nothing."""
        self._file.close()


def _ends_whole(path: Path) -> bool:
    return read_end(path, 1) in (b"", b"\n")
