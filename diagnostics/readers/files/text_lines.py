"""Lines of a growing text file, each returned once it is complete."""

from collections.abc import Iterator
from pathlib import Path

from diagnostics.readers.files.tail import Tail


class TextLines:
    """Follows one text file; holds back an incomplete last line and drops empty lines."""

    def __init__(self, path: Path) -> None:
        self.tail = Tail(path)
        self._torn = b""

    def incomplete_line(self, most: int) -> str:
        """The bytes of the incomplete last line."""
        return self._torn[:most].decode("utf-8", "replace")

    def end_line(self) -> None:
        """Treat the last line as complete; whatever is written after it starts a new one."""
        self._torn = b""

    def lines(self) -> Iterator[str]:
        """The lines completed since the last call; invalid UTF-8 becomes question marks."""
        for chunk in self.tail.chunks():
            *complete, self._torn = (self._torn + chunk).split(b"\n")
            yield from (line.decode("utf-8", "replace") for line in complete if line.strip())
