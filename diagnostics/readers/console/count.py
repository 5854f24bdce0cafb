"""How many trainings are printed in a text, counted as it grows."""

import threading
from functools import lru_cache
from itertools import chain
from pathlib import Path

from diagnostics.readers.console.last_row import is_last_row
from diagnostics.readers.console.lines import Bar, Row, parse_line
from diagnostics.readers.console.plain_text import LONGEST_ROW
from diagnostics.readers.console.trainings import Beginnings
from diagnostics.readers.console.wrapping import Unwrapping
from diagnostics.readers.files.text_lines import LineTail

_MOST_TEXTS = 1 << 14  # that are followed
_MARKS = b"'epoch': ", b"step:", b"%|", b"% ", b"{'"  # in every row and every bar


def count_of_trainings(file: Path) -> int:
    """The number of trainings in a text, at least 1; only what was appended since the last call is read."""
    try:
        return _followed(file, file.stat().st_ino).count()
    except OSError:  # gone just now
        return 1


class _Followed:
    """One text; several threads may ask for its count."""

    def __init__(self, file: Path) -> None:
        self._file, self._lock = file, threading.Lock()
        self._begin()

    def _begin(self) -> None:
        self._lines, self._beginnings, self._count = LineTail(self._file), Beginnings(), 1
        self._unwrapping = Unwrapping()

    def count(self) -> int:
        with self._lock:
            if self._lines.tail.was_replaced:
                self._begin()
            for found in self._lines.read():
                for text in found.texts:
                    if self._unwrapping.is_open or any(mark in text for mark in _MARKS):
                        self._take(text.decode("utf-8", "replace"))
            self._take_last_row()
            return self._count

    def _take_last_row(self) -> None:
        begun = self._lines.begun(LONGEST_ROW).decode("utf-8", "replace")
        if is_last_row(begun, self._file):
            self._lines.end_line()
            self._take(begun)

    def _take(self, line: str) -> None:
        for item in chain.from_iterable(map(parse_line, self._unwrapping.feed(line))):
            if isinstance(item, Bar):
                self._beginnings.add_bar(item)
            elif isinstance(item, Row) and item.values:
                self._count += self._beginnings.is_first(item)


@lru_cache(_MOST_TEXTS)
def _followed(file: Path, inode: int) -> _Followed:
    return _Followed(file)
