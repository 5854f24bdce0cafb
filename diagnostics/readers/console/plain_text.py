"""What was printed for a terminal, as plain text."""

import re

_COLOUR = re.compile(r"\x1b\[[\d;]*[A-Za-z]")


def strip_ansi(text: str) -> str:
    """The text without what a terminal colours and moves by."""
    return _COLOUR.sub("", text) if "\x1b" in text else text
