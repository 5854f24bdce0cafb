"""Recognises the texts that a trainer printed among all others, by their head and their end."""

from functools import lru_cache
from pathlib import Path
from stat import S_ISREG
from typing import NamedTuple

from diagnostics.readers.console.lines import holds_beginning, holds_row
from diagnostics.readers.files.head_and_end import head_and_end

MOST_TEXTS = 1 << 15  # whose classification is remembered


class _Shown(NamedTuple):
    """What the head and the end of a text show."""

    has_row: bool = False
    has_beginning: bool = False


def is_console(file: Path) -> bool:
    """Whether a text holds a row of metrics, or signs that a training started."""
    return any(_shown_by(file))


def has_row(file: Path) -> bool:
    """Whether a text holds a row of metrics."""
    return _shown_by(file).has_row


def _shown_by(file: Path) -> _Shown:
    try:
        found = file.stat()
    except OSError:  # gone just now, or a link to nowhere
        return _Shown()
    return _shown(file, found.st_ino, found.st_size, found.st_mtime_ns) if S_ISREG(found.st_mode) else _Shown()


@lru_cache(MOST_TEXTS)
def _shown(file: Path, inode: int, size: int, changed: int) -> _Shown:
    """What the head or the end of a text shows; unchanged files are not read again."""
    try:
        parts = [*head_and_end(file, size)]
    except OSError:
        return _Shown()
    return _Shown(any(map(holds_row, parts)), any(map(holds_beginning, parts)))
