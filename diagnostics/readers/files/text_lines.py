"""Lines of a growing text file, each handed out once it is complete."""

from collections.abc import Iterator
from pathlib import Path

from diagnostics.readers.files.tail import Tail


class TextLines:
    """Follows one text file; holds back a last line that has no end yet, and leaves out empty ones."""

    def __init__(self, path: Path) -> None:
        self.tail = Tail(path)
        self._torn = b""

    def begun(self, most: int) -> str:
        """The first bytes of the last line, which has no end yet."""
        return self._torn[:most].decode("utf-8", "replace")

    def end_line(self) -> None:
        """Take the last line for complete as it is; what is written behind it begins a new one."""
        self._torn = b""

    def lines(self) -> Iterator[str]:
        """The lines that were completed since the last call; bytes that are no UTF-8 become question marks."""
        for chunk in self.tail.chunks():
            *complete, self._torn = (self._torn + chunk).split(b"\n")
            yield from (line.decode("utf-8", "replace") for line in complete if line.strip())
