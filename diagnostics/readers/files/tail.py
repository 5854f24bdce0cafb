"""The tail of a growing file: what was written since the last look, so that no byte is read twice."""

import os
from collections.abc import Iterator
from pathlib import Path

CHUNK_BYTES = 1 << 21  # bounds the memory that reading a large file takes
HEAD_BYTES = 1 << 12


class Tail:
    """Follows one file. `offset` is the number of bytes read so far; a missing file is an empty one.

    `head` is what it began with, by which a file is told that its writer begins anew each time, as verl's logger does.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.offset = 0
        self.head = b""
        self.unread = 0  # bytes that were there at the last look, after the offset
        self._inode: int | None = None

    @property
    def was_replaced(self) -> bool:
        """Whether the file shrank, vanished, became or begins as another one: what was read of it counts no more."""
        found = self._stat()
        if found is None or self._inode is None:
            return self._inode is not None
        if found.st_ino != self._inode or found.st_size < self.offset:
            return True
        return found.st_size > self.offset and not self._has_same_head()

    def chunks(self) -> Iterator[bytes]:
        """The new bytes, in pieces. Raises OSError where the file is there but cannot be read."""
        found = self._stat()
        if found is None or (self._inode is not None and found.st_size <= self.offset):
            return
        with self.path.open("rb") as file:
            inode = os.fstat(file.fileno()).st_ino
            if self._inode not in (None, inode):  # replaced just now: `was_replaced` says so at the next look
                return
            self._inode = inode
            file.seek(self.offset)
            while chunk := file.read(CHUNK_BYTES):
                self.offset += len(chunk)
                self.head += chunk[: max(0, HEAD_BYTES - len(self.head))]
                self.unread = max(0, found.st_size - self.offset)
                yield chunk

    def _has_same_head(self) -> bool:
        try:
            with self.path.open("rb") as file:
                return file.read(len(self.head)) == self.head
        except FileNotFoundError:  # it vanished just now
            return False

    def _stat(self) -> os.stat_result | None:
        try:
            return self.path.stat()
        except FileNotFoundError:
            return None
