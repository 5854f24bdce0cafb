"""Opens regular files only, and reads no more of them than a bound: a FIFO hangs its reader, a device has no end."""

import errno
import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from diagnostics.foreign_files.bounds import SPAN_BYTES, WHOLE_FILE_BYTES, size_in_words
from diagnostics.foreign_files.cancellation import check_cancelled
from diagnostics.foreign_files.confinement import check_inside
from diagnostics.told import told

_CHUNK_BYTES = 1 << 16
_BLOCK_BYTES = 512  # the unit of st_blocks, whatever the file system's own
_KINDS = {
    stat.S_IFDIR: told("a folder"),
    stat.S_IFIFO: told("a FIFO"),
    stat.S_IFSOCK: told("a socket"),
    stat.S_IFCHR: told("a device"),
    stat.S_IFBLK: told("a device"),
}


class NotRegularFile(OSError):  # noqa: N818 - named for what the path is
    """There is something else than a file at a path; `strerror` says what."""

    def __init__(self, path: str | Path, mode: int) -> None:
        kind = _KINDS.get(stat.S_IFMT(mode), told("something special"))
        super().__init__(errno.EINVAL, told("it is {kind}, not a file", kind=kind), str(path))

    def __str__(self) -> str:
        return f"{self.filename} cannot be read: {self.strerror}"


class FileTooLarge(OSError):  # noqa: N818 - named for what the file is
    """A file that is read as a whole or not at all has more bytes than its bound; `strerror` says how many."""

    def __init__(self, path: str | Path, size: int, limit: int) -> None:
        held, most = size_in_words(size), size_in_words(limit)
        super().__init__(
            errno.EFBIG, told("it holds {held}, and such a file is read up to {most}", held=held, most=most), str(path)
        )

    def __str__(self) -> str:
        return f"{self.filename} cannot be read: {self.strerror}"


def open_regular(path: Path, *, buffering: int = -1) -> BinaryIO:
    """The file at a path, opened for reading. Raises NotRegularFile, or another OSError if it cannot be opened.

    Nothing but a regular file is opened, since opening alone may wait for a writer or act on a device; and no read
    waits, as one of a file of the kernel's own might. Raises Cancelled or TimedOut where the work should end.
    """
    check_cancelled()
    return open(path, "rb", buffering, opener=_opener)  # Path.open takes no opener; the caller closes it


def read_whole(path: Path, limit: int = WHOLE_FILE_BYTES) -> bytes:
    """All of a file. Raises FileTooLarge beyond `limit` bytes, NotRegularFile, or another OSError."""
    with open_regular(path) as file:
        size = os.fstat(file.fileno()).st_size
        content = file.read(size + 1) or b"" if size <= limit else b""
        while size < len(content) <= limit:  # it grew meanwhile, or is one of the kernel's, which tell no size
            size = len(content)
            content += file.read(_CHUNK_BYTES) or b""
    if max(size, len(content)) > limit:
        raise FileTooLarge(path, max(size, len(content)), limit)
    return content


def read_text(path: Path, limit: int = WHOLE_FILE_BYTES, *, errors: str = "strict", encoding: str = "utf-8") -> str:
    """All of a text file, as `read_whole`. Raises UnicodeDecodeError too, unless `errors` says otherwise."""
    return read_whole(path, limit).decode(encoding, errors).replace("\r\n", "\n").replace("\r", "\n")


def read_head(path: Path, limit: int) -> bytes:
    """The first bytes of a file. Raises NotRegularFile, or another OSError."""
    with open_regular(path) as file:
        return file.read(limit) or b""


def read_end(path: Path, limit: int) -> bytes:
    """The last bytes of a file. Raises NotRegularFile, or another OSError."""
    with open_regular(path) as file:
        file.seek(max(0, os.fstat(file.fileno()).st_size - limit))
        return file.read(limit) or b""


def read_span(path: Path, start: int, end: int) -> bytes:
    """The bytes from `start` to `end`, or to the bound. Raises NotRegularFile, or another OSError."""
    return b"".join(read_spans(path, [(start, end)]))


def read_spans(path: Path, spans: Iterable[tuple[int, int]]) -> Iterator[bytes]:
    """The bytes of each span from its start to its end, in turn, until all together reach the bound.

    Raises NotRegularFile, or another OSError.
    """
    left = SPAN_BYTES
    with open_regular(path) as file:
        for start, end in spans:
            check_cancelled()
            file.seek(start)
            content = file.read(min(end - start, left)) or b""
            left -= len(content)
            yield content


def read_lines(path: Path, limit: int = SPAN_BYTES) -> Iterator[bytes]:
    """The lines in the first `limit` bytes of a file, without one that the limit cuts or that no whole file may reach.

    Raises NotRegularFile, or another OSError.
    """
    left, is_begun = limit, False
    with open_regular(path) as file:
        while part := file.readline((most := min(left, WHOLE_FILE_BYTES)) + 1):
            check_cancelled()
            fits = len(part) <= most
            if fits and not is_begun:
                yield part
            is_begun, left = not fits and not part.endswith(b"\n"), left - len(part)
            if left < 0:
                return


def hole_after(file: BinaryIO, offset: int) -> int:
    """How many bytes after an offset were never written, so that the disk does not hold them; reading gives zeros."""
    found = os.fstat(file.fileno())
    if found.st_blocks * _BLOCK_BYTES >= found.st_size:
        return 0
    try:
        return os.lseek(file.fileno(), offset, os.SEEK_DATA) - offset
    except OSError as error:  # ENXIO: no data up to the end; else the file system does not tell
        return max(0, found.st_size - offset) if error.errno == errno.ENXIO else 0


def _opener(path: str, flags: int) -> int:
    _check_regular(path, Path(path).stat())
    descriptor = os.open(path, flags | os.O_NONBLOCK)
    try:
        _check_regular(path, os.fstat(descriptor))  # another may have taken its place since
        check_inside(path, descriptor)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def _check_regular(path: str, found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise NotRegularFile(path, found.st_mode)
