"""Text for Streamlit's Markdown: names and messages may contain any character, and none may format the page."""

import re

from diagnostics.visible_text import one_line

_SPECIAL = str.maketrans({sign: f"\\{sign}" for sign in "\\`*_{}[]()<>#+-.!|~$:^=&\"'@/"})
_NOTHING = ":small[]"
_JOINED = re.compile(
    r"(?<=http:)(?=//)|(?<=https:)(?=//)|(?<=www)(?=\.)|(?<=@)(?=[\w-])"  # becomes a link
    r"|(?<=:)(?=[\w+/-]+:)"  # becomes an emoji, an icon or a logo
    r"|(?<=[-<>~])(?=[-=>]{1,2}(?:\s|$))",  # becomes another sign, as -> does
    re.IGNORECASE,
)
"""Where `_NOTHING` keeps apart what Streamlit draws although it is escaped."""


def escaped(text: str) -> str:
    """Text on one line in which Markdown finds nothing to format."""
    return _NOTHING.join(part.translate(_SPECIAL) for part in _JOINED.split(one_line(text)))


def with_code(text: str) -> str:
    """Text of our own documents: code between backticks, nothing else formatted."""
    parts = text.split("`")
    return "".join(f"`{part}`" if index % 2 else escaped(part) for index, part in enumerate(parts))
