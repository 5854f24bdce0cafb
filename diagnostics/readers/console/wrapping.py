"""Rows that a terminal broke at its width, as `script`, tmux and some job systems store them, put together again."""

from collections.abc import Iterator

from diagnostics.readers.console.plain_text import LONGEST_ROW

NARROWEST = 60  # characters of a terminal
_BLANK = 1  # character at a line's end that the terminal left out
_EPOCH = "'epoch': "
_AFTER_BLANK = (",", ":")  # a row has a blank after these


class Unwrapping:
    """Takes lines one by one, and gives them back with the pieces of a broken row as one line.

    A row is broken where a dictionary is not closed and all lines but its last are as wide as the terminal. What turns
    out to be none is given back line by line, as it was.
    """

    def __init__(self) -> None:
        self._pieces: list[str] = []

    @property
    def is_open(self) -> bool:
        """Whether the next line may belong to a row that has begun."""
        return bool(self._pieces)

    @property
    def held(self) -> tuple[str, ...]:
        """The lines of a row that has begun: its end is to come, or it is none."""
        return tuple(self._pieces)

    def feed(self, line: str) -> Iterator[str]:
        """The lines that are known to be whole now."""
        if not self._pieces:
            if may_be_wrapped(line):
                self._pieces.append(line)
            else:
                yield line
            return
        if not self._is_next(line):
            yield from self.rest()
            yield from self.feed(line)
            return
        self._pieces.append(line)
        if "}" in line:
            whole = _joined(self._pieces)
            yield from [whole] if _EPOCH in whole else self._pieces
            self._pieces = []

    def _is_next(self, line: str) -> bool:
        """Whether a line may be the next piece of the row that has begun: as wide as those before, or its end."""
        widest = max(map(len, self._pieces)) + _BLANK
        is_full = widest - 2 * _BLANK <= len(line) <= widest and sum(map(len, self._pieces)) < LONGEST_ROW
        return "{'" not in line and (is_full or ("}" in line and len(line) <= widest))

    def rest(self) -> Iterator[str]:
        """What was held back, as it was."""
        held, self._pieces = self._pieces, []
        yield from held


def may_be_wrapped(line: str) -> bool:
    """Whether a line begins a dictionary that it does not close, and may be as wide as a terminal."""
    start = line.rfind("{'")
    return start >= 0 and len(line) >= NARROWEST - _BLANK and line.find("}", start) < 0


def wrapped_start(text: bytes, end: int) -> int:
    """Where the row begins that has come to `end` over lines of one width; −1 if none has."""
    start = text.rfind(b"{'", max(0, end - LONGEST_ROW), end)
    if start < 0 or b"}" in text[start:end]:
        return -1
    first = text.rfind(b"\n", 0, start) + 1
    widths = [len(line) for line in text[first:end].split(b"\n")[:-1]]
    return start if widths and min(widths) >= max(NARROWEST, *widths) - _BLANK else -1


def _joined(pieces: list[str]) -> str:
    whole = ""
    for piece in pieces:
        whole += " " + piece.lstrip() if whole.endswith(_AFTER_BLANK) else piece
    return whole
