"""JSON lines as they are written: complete lines only, NaN and ±Infinity accepted, malformed lines counted."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from diagnostics.readers.files.tail import Tail

Row = dict[str, Any]


class Line(NamedTuple):
    """One row and its position in the file: bytes `start` to `end`."""

    start: int
    end: int
    row: Row


class JsonLines:
    """Follows one JSON-lines file; holds back an incomplete last line."""

    def __init__(self, path: Path) -> None:
        self.tail = Tail(path)
        self.malformed = 0
        self._torn = b""

    @property
    def torn_bytes(self) -> int:
        """The length of the incomplete last line."""
        return len(self._torn)

    def lines(self) -> Iterator[Line]:
        """The rows completed since the last call."""
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
    """One line as a JSON object; None if it is none. NaN, Infinity and -Infinity count as numbers."""
    try:
        row = orjson.loads(text)
    except orjson.JSONDecodeError:  # strict JSON has no NaN: fall back to the slower parser
        try:
            row = json.loads(text)
        except (ValueError, RecursionError):  # the latter for thousands of open brackets
            return None
    return row if isinstance(row, dict) else None


def as_whole(value: Any) -> int | None:
    """A JSON value as a 64-bit integer, like a step or a count; None if it is none."""
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    return value if is_whole and -(2**63) <= value < 2**63 else None


def as_number(value: Any) -> float | None:
    """A JSON number as a float; None if it is none or out of range."""
    if not isinstance(value, int | float):
        return None
    try:
        return float(value)
    except OverflowError:
        return None


def as_text(value: Any) -> str:
    """Text with lone surrogates, which UTF-8 cannot encode, replaced by question marks; other values as JSON."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text.encode(errors="replace").decode()
