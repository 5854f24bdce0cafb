"""JSON lines as they are written: complete lines only, NaN and ±Infinity as such, malformed lines counted."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from diagnostics.readers.files.tail import Tail

Row = dict[str, Any]


class Line(NamedTuple):
    """One row and where it stands in its file: bytes `start` to `end`."""

    start: int
    end: int
    row: Row


class JsonLines:
    """Follows one JSON-lines file; holds back a last line that has no end yet."""

    def __init__(self, path: Path) -> None:
        self.tail = Tail(path)
        self.malformed = 0
        self._torn = b""

    @property
    def torn_bytes(self) -> int:
        """The length of the unfinished last line."""
        return len(self._torn)

    def lines(self) -> Iterator[Line]:
        """The rows that were completed since the last call."""
        for chunk in self.tail.chunks():
            start = self.tail.offset - len(chunk) - len(self._torn)
            *complete, self._torn = (self._torn + chunk).split(b"\n")
            for text in complete:
                end = start + len(text) + 1
                if text.strip():
                    row = parse_row(text)
                    if row is None:
                        self.malformed += 1
                    else:
                        yield Line(start, end, row)
                start = end


def parse_row(text: bytes) -> Row | None:
    """One line as a JSON object; None where it is none. NaN, Infinity and -Infinity are numbers here."""
    try:
        row = orjson.loads(text)
    except orjson.JSONDecodeError:  # strict JSON has no NaN: the slower parser takes over
        try:
            row = json.loads(text)
        except (ValueError, RecursionError):  # the latter is what thousands of open brackets come to
            return None
    return row if isinstance(row, dict) else None


def as_whole(value: Any) -> int | None:
    """A JSON value as a whole number of 64 bits, as steps and counts are; None where it is none."""
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    return value if is_whole and -(2**63) <= value < 2**63 else None


def as_number(value: Any) -> float | None:
    """A JSON number as a float; None where it is none or beyond a float's range."""
    if not isinstance(value, int | float):
        return None
    try:
        return float(value)
    except OverflowError:
        return None


def as_text(value: Any) -> str:
    """Text as it is (lone surrogates, which no UTF-8 file can take, become question marks), anything else as JSON."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text.encode(errors="replace").decode()
