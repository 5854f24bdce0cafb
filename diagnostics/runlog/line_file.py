"""A file of whole lines that one process appends to: what cannot be written whole leaves no part behind."""

import fcntl
import os
from pathlib import Path
from typing import BinaryIO


class LineFile:
    """An append-only file. What `append` wrote is with the kernel when it returns, so a killed process loses none.

    The file is locked while it is open; the lock ends with the process, however that ends. A last line without an end,
    which a power cut may leave, is ended first, so that the next line does not run into it.

    Raises BlockingIOError when another process has the file open.
    """

    def __init__(self, path: Path) -> None:
        self._file: BinaryIO = path.open("ab", buffering=0)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if not _ends_whole(path):
                self.append(b"\n")
        except BaseException:
            self._file.close()
            raise

    def append(self, lines: bytes) -> None:
        """Write whole lines. Raises OSError, with the file as it was, where they do not fit (the disk is full)."""
        start = os.fstat(self._file.fileno()).st_size
        left = memoryview(lines)
        try:
            while left:
                left = left[self._file.write(left) :]
        except OSError:
            os.ftruncate(self._file.fileno(), start)
            raise

    def close(self) -> None:
        """End the writing; later calls do nothing."""
        self._file.close()


def _ends_whole(path: Path) -> bool:
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        if size == 0:
            return True
        file.seek(size - 1)
        return file.read(1) == b"\n"
