"""Lines of a growing text file, each returned once it is complete."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from diagnostics.foreign_files.bounds import LINE_BYTES, size_in_words
from diagnostics.readers.files.tail import Tail
from diagnostics.told import told


class Lines(NamedTuple):
    """Consecutive complete lines, without their ends; `start` is the position of the first in the file."""

    start: int
    texts: list[bytes]


class LineTail:
    """Follows one file of lines; holds back an incomplete last line, and skips one that is longer than the bound."""

    def __init__(self, path: Path) -> None:
        self.tail = Tail(path)
        self.too_long = 0  # lines
        self._torn = b""
        self._skipped = 0  # bytes of an incomplete line that is too long

    @property
    def torn_bytes(self) -> int:
        """The length of the incomplete last line."""
        return len(self._torn) + self._skipped

    def begun(self, most: int) -> bytes:
        """The first bytes of the incomplete last line."""
        return self._torn[:most]

    def end_line(self) -> None:
        """Treat the last line as complete; whatever is written after it starts a new one."""
        self._torn = b""

    def read(self) -> Iterator[Lines]:
        """The lines completed since the last call."""
        for chunk in self.tail.chunks():
            start = self.tail.offset - len(chunk) - len(self._torn)
            *complete, self._torn = (self._torn + chunk).split(b"\n")
            if complete and self._skipped + len(complete[0]) > LINE_BYTES:
                self.too_long += not self._skipped
                start += len(complete.pop(0)) + 1
                self._skipped = 0
            yield Lines(start, complete)
            if self.torn_bytes > LINE_BYTES:
                self.too_long += not self._skipped
                self._skipped, self._torn = self.torn_bytes, b""

    def notes(self) -> Iterator[str]:
        """Sentences about what a bound left out."""
        yield from self.tail.notes()
        if self.too_long:
            most = size_in_words(LINE_BYTES)
            yield told(
                "lines of {file} with more than {most} were skipped: {count}",
                file=self.tail.path.name,
                most=most,
                count=self.too_long,
            )


class TextLines:
    """Follows one text file; holds back an incomplete last line and drops empty lines."""

    def __init__(self, path: Path) -> None:
        self._lines = LineTail(path)

    @property
    def tail(self) -> Tail:
        """The file, as far as it was read."""
        return self._lines.tail

    @property
    def too_long(self) -> int:
        """How many lines were skipped because they are longer than the bound."""
        return self._lines.too_long

    def incomplete_line(self, most: int) -> str:
        """The bytes of the incomplete last line."""
        return self._lines.begun(most).decode("utf-8", "replace")

    def end_line(self) -> None:
        """Treat the last line as complete; whatever is written after it starts a new one."""
        self._lines.end_line()

    def lines(self) -> Iterator[str]:
        """The lines completed since the last call; invalid UTF-8 becomes question marks."""
        for found in self._lines.read():
            yield from (line.decode("utf-8", "replace") for line in found.texts if line.strip())

    def notes(self) -> Iterator[str]:
        """Sentences about what a bound left out."""
        return self._lines.notes()
