"""Terminal output as plain text."""

import re

LONGEST_ROW = 1 << 16  # characters of a printed row
_COLOUR = re.compile(r"\x1b\[[\d;]*[A-Za-z]")


def strip_ansi(text: str) -> str:
    """The text without escape sequences."""
    return _COLOUR.sub("", text) if "\x1b" in text else text
