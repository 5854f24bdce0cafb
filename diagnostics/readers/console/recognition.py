"""Recognises the texts that a trainer printed among all others, by their head and their end."""

from functools import lru_cache
from pathlib import Path
from stat import S_ISREG

from diagnostics.readers.console.lines import holds_beginning, holds_row
from diagnostics.readers.files.head_and_end import head_and_end

MOST_TEXTS = 1 << 15  # whose classification is remembered


def is_console(file: Path) -> bool:
    """Whether a text holds a row of metrics, or signs that a training started."""
    try:
        found = file.stat()
    except OSError:  # gone just now, or a link to nowhere
        return False
    return S_ISREG(found.st_mode) and _shows_training(file, found.st_ino, found.st_size, found.st_mtime_ns)


@lru_cache(MOST_TEXTS)
def _shows_training(file: Path, inode: int, size: int, changed: int) -> bool:
    """Whether the head or the end of a text shows a training; unchanged files are not read again."""
    try:
        return any(holds_row(part) or holds_beginning(part) for part in head_and_end(file, size))
    except OSError:
        return False
