"""How many trainings are printed in a text, counted as it grows."""

import threading
from functools import lru_cache
from pathlib import Path

from diagnostics.readers.console.last_row import is_last_row
from diagnostics.readers.console.lines import Bar, Printed, Row, parse_line
from diagnostics.readers.console.own_rows import OwnRows
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
        self._unwrapping, self._own = Unwrapping(), OwnRows()

    def count(self) -> int:
        with self._lock:
            if self._lines.tail.was_replaced:
                self._begin()
            for found in self._lines.read():
                for text in found.texts:
                    if self._needs_all or any(mark in text for mark in _MARKS):
                        self._take(text.decode("utf-8", "replace"))
            self._take_last_row()
            return self._count

    @property
    def _needs_all(self) -> bool:
        """Whether lines without a mark may count: within a row, and where rows in a form of their own may follow."""
        return self._unwrapping.is_open or (self._beginnings.has_ended and not self._own.is_known)

    def _take_last_row(self) -> None:
        begun = self._lines.begun(LONGEST_ROW).decode("utf-8", "replace")
        if is_last_row(begun, self._file):
            self._lines.end_line()
            self._take(begun)

    def _take(self, line: str) -> None:
        for whole in self._unwrapping.feed(line):
            items = tuple(parse_line(whole))
            for item in items:
                self._take_item(item)
            has_row = any(isinstance(item, Row) for item in items)
            if self._beginnings.has_ended and not has_row and not self._own.is_known:
                self._count += self._own.feed(whole) is not None

    def _take_item(self, item: Printed) -> None:
        if isinstance(item, Bar):
            self._beginnings.add_bar(item)
        elif isinstance(item, Row) and item.values and self._beginnings.is_first(item):
            self._count += 1
            self._own.end()


@lru_cache(_MOST_TEXTS)
def _followed(file: Path, inode: int) -> _Followed:
    return _Followed(file)
