"""JSON lines as they are written: complete lines only, NaN and ±Infinity accepted, malformed lines counted."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from diagnostics.foreign_files.documents import check_depth, parse_json
from diagnostics.readers.files.tail import Tail
from diagnostics.readers.files.text_lines import LineTail

Row = dict[str, Any]


class Line(NamedTuple):
    """One row and its position in the file: bytes `start` to `end`."""

    start: int
    end: int
    row: Row


class JsonLines:
    """Follows one JSON-lines file; holds back an incomplete last line."""

    def __init__(self, path: Path) -> None:
        self._lines = LineTail(path)
        self._misfits = 0

    @property
    def tail(self) -> Tail:
        """The file, as far as it was read."""
        return self._lines.tail

    @property
    def malformed(self) -> int:
        """Lines that are no JSON object, or longer than the bound."""
        return self._misfits + self._lines.too_long

    @property
    def torn_bytes(self) -> int:
        """The length of the incomplete last line."""
        return self._lines.torn_bytes

    def lines(self) -> Iterator[Line]:
        """The rows completed since the last call."""
        for found in self._lines.read():
            start = found.start
            for text in found.texts:
                end = start + len(text) + 1
                if text.strip():
                    row = parse_row(text)
                    if row is None:
                        self._misfits += 1
                    else:
                        yield Line(start, end, row)
                start = end

    def notes(self) -> Iterator[str]:
        """Sentences about what a bound left out."""
        return self._lines.notes()


def parse_row(text: bytes) -> Row | None:
    """One line as a JSON object; None if it is none, or nests too deep. NaN, Infinity and -Infinity are numbers."""
    try:
        row = parse_value(text)
    except ValueError:
        return None
    return row if isinstance(row, dict) else None


def parse_value(text: bytes) -> Any:
    """A JSON value, with bare NaN and infinities. Raises ValueError if it is none, or nests too deep."""
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:  # strict JSON has no NaN: fall back to the slower parser
        return parse_json(text)
    check_depth(value, text)
    return value


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
