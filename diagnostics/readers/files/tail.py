"""The tail of a growing file: only bytes appended since the last poll."""

import os
from collections.abc import Iterator
from pathlib import Path

CHUNK_BYTES = 1 << 21  # bounds the memory needed for a large file
HEAD_BYTES = 1 << 12


class Tail:
    """Follows one file. `offset` is the number of bytes read so far; a missing file counts as empty.

    `head` is how the file began, which detects a writer that rewrites its file each time, as verl's logger does.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.offset = 0
        self.head = b""
        self.unread = 0  # bytes after the offset at the last poll
        self._inode: int | None = None

    @property
    def was_replaced(self) -> bool:
        """Whether the file shrank, vanished or is a different file now, so that what was read is obsolete."""
        found = self._stat()
        if found is None or self._inode is None:
            return self._inode is not None
        if found.st_ino != self._inode or found.st_size < self.offset:
            return True
        return found.st_size > self.offset and not self._has_same_head()

    def chunks(self) -> Iterator[bytes]:
        """The new bytes in chunks. Raises OSError if the file exists but cannot be read."""
        found = self._stat()
        if found is None or (self._inode is not None and found.st_size <= self.offset):
            return
        with self.path.open("rb") as file:
            inode = os.fstat(file.fileno()).st_ino
            if self._inode not in (None, inode):  # replaced meanwhile: `was_replaced` reports it at the next poll
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
        except FileNotFoundError:  # it vanished meanwhile
            return False

    def _stat(self) -> os.stat_result | None:
        try:
            return self.path.stat()
        except FileNotFoundError:
            return None
