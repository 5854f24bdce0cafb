"""Text in columns of a terminal, where a Chinese character is as wide as two letters and ends a line like a blank."""

import re
import textwrap
import unicodedata

_WIDE = frozenset("WF")
_NARROW = re.compile(r"[\x00-\u10ff]*")  # what a fast look finds to be no wider than its length
_NEVER_FIRST = frozenset("，。：；？！、）」』”’…")
_NEVER_LAST = frozenset("（「『“‘")


def columns(text: str) -> int:
    """How many columns of a terminal a text takes."""
    if _NARROW.fullmatch(text):
        return len(text)
    return sum(1 + (unicodedata.east_asian_width(character) in _WIDE) for character in text)


def padded(text: str, width: int) -> str:
    """A text with blanks behind it, up to so many columns."""
    return text + " " * (width - columns(text))


def wrap(text: str, width: int) -> list[str]:
    """The lines of a text, each of so many columns at most; a word that is longer stands whole."""
    if columns(text) == len(text):
        return textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False)
    return _wrap_wide(text, width)


def fill(text: str, width: int, first: str = "", rest: str = "") -> str:
    """A text in lines of so many columns: the first begins with `first`, the others with `rest`."""
    if columns(first + text) == len(first + text):
        return textwrap.fill(
            text,
            width,
            initial_indent=first,
            subsequent_indent=rest,
            break_long_words=False,
            break_on_hyphens=False,
        )
    head, *others = _wrap_wide(text, width - max(columns(first), columns(rest))) or [""]
    return "\n".join([(first + head).rstrip(), *(rest + line for line in others)])


def _wrap_wide(text: str, width: int) -> list[str]:
    lines, line = list[str](), ""
    for part in _parts(text):
        if line and columns(line) + columns(part.rstrip()) > width:
            lines.append(line.rstrip())
            line = ""
        line += part
    return [*lines, line.rstrip()] if line.strip() else lines


def _parts(text: str) -> list[str]:
    """What must stand on one line: words with the blanks after them, and each wide character with its punctuation."""
    parts = list[str]()
    for character in " ".join(text.split()):
        follows = bool(parts) and _belongs(parts[-1], character)
        if follows:
            parts[-1] += character
        else:
            parts.append(character)
    return parts


def _belongs(before: str, character: str) -> bool:
    if character == " " or character in _NEVER_FIRST or before[-1] in _NEVER_LAST:
        return True
    return before[-1] != " " and not _is_wide(character) and not _is_wide(before[-1])


def _is_wide(character: str) -> bool:
    return unicodedata.east_asian_width(character) in _WIDE
