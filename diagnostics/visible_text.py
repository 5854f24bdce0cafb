"""Visible text: what a log says, without characters that move a cursor, turn text around or hide."""

import re
import unicodedata
from collections.abc import Callable

_CONTROLS = "\x00-\x08\x0b-\x1f\x7f-\x9f"
_DIRECTIONS = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # of "Trojan Source": what is read is not what is there
_INVISIBLE = "\xad\u180e\u200b\u2060-\u2065\u206a-\u206f\ufeff\ufff9-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
_LINES = "\u2028\u2029"
_SURROGATES = "\ud800-\udfff"  # bytes of a file's name that are no UTF-8, or a broken escape in JSON
_JOINERS = "\u200c\u200d"
_VARIATIONS = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
_TAGS = "\U000e0000-\U000e00ff\U000e01f0-\U000e0fff"
_FLAG = "\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{2,6}\U000e007f"  # of Scotland, for one

_SUSPECT = re.compile(
    f"{_FLAG}|\r\n|[{_CONTROLS}{_DIRECTIONS}{_INVISIBLE}{_LINES}{_SURROGATES}{_JOINERS}{_VARIATIONS}{_TAGS}]"
)
_VARIATION = re.compile(f"[{_VARIATIONS}]")
_AFTER_A_PICTURE = "⟩"
_BREAKS = str.maketrans({"\n": "⏎", "\t": "␉"})


def visible(text: str) -> str:
    """A block of text in which every control character, override of direction and hidden character can be seen.

    Each becomes a sign such as ␛, or its number such as ⟨U+202E⟩. Tabs and line ends stay, and so does what a script
    or an emoji is made of: joiners after letters of a script that joins, variation selectors, the tags of a flag.
    """
    return replaced(text, _picture)


def one_line(text: str) -> str:
    """The same where one line is meant: a line end is shown as ⏎, a tab as ␉."""
    return visible(text).translate(_BREAKS)


def replaced(text: str, written: Callable[[str], str]) -> str:
    """The text in which `written` gives each character that `visible` would not leave as it is."""
    parts: list[str] = []
    done = 0
    before = ""
    for found in _SUSPECT.finditer(text):
        start, sign = found.start(), found[0]
        if start > done:
            parts.append(text[done:start])
            before = text[start - 1]
        if sign == "\r\n":
            sign = "\n"
        elif len(sign) == 1 and not _belongs(sign, before):
            sign = written(sign)
        parts.append(sign)
        before, done = sign[-1:], found.end()
    return "".join([*parts, text[done:]]) if parts else text


def _belongs(sign: str, before: str) -> bool:
    """Whether a joiner or a variation selector follows something that it can act on."""
    if _VARIATION.match(sign):
        return before not in ("", " ", "\n", "\t", _AFTER_A_PICTURE) and not _VARIATION.match(before)
    # A joiner between Latin letters does nothing but make two words that look the same.
    return sign in _JOINERS and before > "\x7f" and unicodedata.category(before)[0] in "LMS"


def _picture(sign: str) -> str:
    code = ord(sign)
    if code < 0x20:
        return chr(0x2400 + code)
    return "␡" if code == 0x7F else f"⟨U+{code:04X}⟩"
