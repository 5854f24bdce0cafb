"""How text is laid out for a reader: width, colour, labels in columns, paragraphs."""

import textwrap
from dataclasses import dataclass

PIPE_WIDTH = 100
_NARROWEST = 40
LABEL_COLUMN = 10  # "CRITICAL" and two spaces
_ANSI = {"critical": "\x1b[1;31m", "warning": "\x1b[33m", "info": "\x1b[34m", "healthy": "\x1b[32m"}
_ANSI_END = "\x1b[0m"


@dataclass(frozen=True, slots=True)
class Style:
    """How wide a line may be, in characters, and whether the verdict words are coloured."""

    width: int = PIPE_WIDTH
    colour: bool = False

    def labelled(self, label: str, text: str, *, indent: int = 0, column: int = LABEL_COLUMN) -> str:
        """A word in a column of that width, and its text beside it, wrapped so that it stays beside it."""
        margin = " " * indent
        wrapped = self._wrapped(text, first=(margin + label).ljust(indent + column), rest=margin + " " * column)
        return self._coloured(label, wrapped)

    def paragraph(self, text: str, indent: int = 2) -> str:
        """Running text between its margin and the width."""
        return self._wrapped(text, first=" " * indent, rest=" " * indent)

    def _wrapped(self, text: str, first: str, rest: str) -> str:
        return textwrap.fill(
            text,
            width=max(self.width, _NARROWEST),
            initial_indent=first,
            subsequent_indent=rest,
            break_long_words=False,
            break_on_hyphens=False,
        )

    def _coloured(self, label: str, line: str) -> str:
        code = _ANSI.get(label.lower())
        return line.replace(label, f"{code}{label}{_ANSI_END}", 1) if self.colour and code else line
