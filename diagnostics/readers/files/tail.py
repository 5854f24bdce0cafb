"""The tail of a growing file: only bytes appended since the last poll."""

import errno
import os
from collections.abc import Iterator
from pathlib import Path

from diagnostics.foreign_files import bytes_of_a_poll, check_cancelled, hole_after, open_regular, read_head
from diagnostics.foreign_files.bounds import HOLE_BYTES, size_in_words
from diagnostics.told import told

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
        self._hole = 0  # bytes after the offset that were never written

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
        """The new bytes in chunks, up to a bound. Raises OSError if the file exists but cannot be read.

        Raises Cancelled or TimedOut between two chunks; the next call goes on there.
        """
        found = self._stat()
        if found is None or (self._inode is not None and found.st_size <= self.offset):
            return
        with open_regular(self.path, buffering=0) as file:
            inode = os.fstat(file.fileno()).st_ino
            if self._inode not in (None, inode):  # replaced meanwhile: `was_replaced` reports it at the next poll
                return
            self._inode, end = inode, self.offset + bytes_of_a_poll()
            while self.offset < end:
                check_cancelled()
                if (hole := hole_after(file, self.offset)) > HOLE_BYTES:
                    self._hole = hole
                    return
                file.seek(self.offset)
                if not (chunk := file.read(min(CHUNK_BYTES, end - self.offset))):
                    break
                self.offset += len(chunk)
                self.head += chunk[: max(0, HEAD_BYTES - len(self.head))]
                self.unread, self._hole = max(0, found.st_size - self.offset), 0
                yield chunk

    def notes(self) -> Iterator[str]:
        """A sentence about what a bound left out of the file."""
        read, size = size_in_words(self.offset), size_in_words(self.offset + self.unread)
        if self._hole:
            yield told(
                "the first {read} of {file} were read: the next {hole} were never written, so that the disk does not "
                "hold them",
                read=read,
                file=self.path.name,
                hole=size_in_words(self._hole),
            )
        elif self.unread:
            yield told(
                "the first {read} of {file} were read (of {size}); the rest follows",
                read=read,
                file=self.path.name,
                size=size,
            )

    def _has_same_head(self) -> bool:
        try:
            return read_head(self.path, len(self.head)) == self.head
        except FileNotFoundError:  # it vanished meanwhile
            return False

    def _stat(self) -> os.stat_result | None:
        try:
            return self.path.stat()
        except OSError as error:
            if error.errno in (errno.ENOENT, errno.ELOOP):  # a loop of links leads to no file either
                return None
            raise
