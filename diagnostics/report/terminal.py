"""Text for a terminal: width, colour, labels in a column, paragraphs."""

import re
from dataclasses import dataclass

from diagnostics.language import _
from diagnostics.report.columns import fill, padded
from diagnostics.visible_text import one_line, visible

PIPE_WIDTH = 100
_NARROWEST = 40
LABEL_COLUMN = 10  # "CRITICAL" and two spaces
_ANSI = {"critical": "\x1b[1;31m", "warning": "\x1b[33m", "info": "\x1b[34m", "healthy": "\x1b[32m"}
_ANSI_END = "\x1b[0m"
_COLOURS = re.compile(f"({'|'.join(map(re.escape, (*_ANSI.values(), _ANSI_END)))})")


def printable(text: str) -> str:
    """Text that commands a terminal to nothing but line ends, tabs and the colours of this module."""
    parts = _COLOURS.split(text)
    return "".join(part if index % 2 else visible(part) for index, part in enumerate(parts))


@dataclass(frozen=True, slots=True)
class Style:
    """The width of a line in characters, and whether verdicts are coloured."""

    width: int = PIPE_WIDTH
    colour: bool = False

    def labelled(
        self, label: str, text: str, *, indent: int = 0, column: int = LABEL_COLUMN, colour: str | None = None
    ) -> str:
        """A label in its column and the text beside it, with a hanging indent; `colour` is that of a verdict."""
        margin = " " * indent
        wrapped = self._wrapped(text, first=padded(margin + label, indent + column), rest=margin + " " * column)
        return self._coloured(label, wrapped, colour or label)

    def verdict(self, verdict: str, text: str, *, indent: int = 0) -> str:
        """A text under its verdict or severity, which stands in capitals and in its colour."""
        return self.labelled(_(verdict).upper(), text, indent=indent, colour=verdict)

    def paragraph(self, text: str, indent: int = 2) -> str:
        """An indented paragraph."""
        return self._wrapped(text, first=" " * indent, rest=" " * indent)

    def _wrapped(self, text: str, first: str, rest: str) -> str:
        return fill(one_line(text), max(self.width, _NARROWEST), first, rest)

    def _coloured(self, label: str, line: str, colour: str) -> str:
        code = _ANSI.get(colour.lower())
        return line.replace(label, f"{code}{label}{_ANSI_END}", 1) if self.colour and code else line
