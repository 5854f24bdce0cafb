"""Markdown tables, inline code and escaped text, of GitHub's kind."""

import re
from collections.abc import Iterable, Sequence

from diagnostics.visible_text import one_line

_MARKUP = re.compile(
    r"([\\`*\[\]<>|#~$]|(?<![^\W_])_|_(?![^\W_])|&(?=#?\w+;))"
)  # an underscore within a word is only itself
_LEADING = re.compile(r"\A(\d*)([-+](?=\s|$)|[-=](?=[-=\s]*$)|(?<=\d)[.)](?=\s|$))")  # of a list, of a heading
_LINKED = re.compile(  # GitHub makes a link, a mention, a reference, an emoji of such a word, escaped or not
    r"https?://|ftp://|mailto:|xmpp:|www\.|@\w|#\d|\bGH-\d|:[\w+-]+:", re.IGNORECASE
)
_WORDS = re.compile(r"(\s+)")
_PIPE = re.compile(r"(?<!\\)((?:\\\\)*)\|")
_TICKS = re.compile("`+")
_EMPTY = "–"


def table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table of cells that are Markdown already."""
    lines = [titles, ["---"] * len(titles), *rows]
    return "\n".join("| " + " | ".join(_cell(cell) or _EMPTY for cell in line) + " |" for line in lines)


def escaped(text: str) -> str:
    """A line of text without markup: the name of a run or a reward function must not format anything.

    A word that would be linked all the same, such as an address, is shown as code.
    """
    words = _WORDS.split(one_line(text).strip())
    return _LEADING.sub(r"\1\\\2", "".join(map(_escaped_word, words)))


def code(text: str) -> str:
    """A line of text as inline code, between more backticks than it holds in a row."""
    line = one_line(text)
    fence = "`" * (1 + max(map(len, _TICKS.findall(line)), default=0))
    padding = " " if "`" in (line[:1], line[-1:]) or line[:1] == line[-1:] == " " else ""
    return f"{fence}{padding}{line}{padding}{fence}" if line else ""


def _escaped_word(word: str) -> str:
    return code(word) if _LINKED.search(word) else _MARKUP.sub(r"\\\1", word)


def _cell(cell: str) -> str:
    """On one line, with the pipes escaped that would end the cell, in code too."""
    return _PIPE.sub(r"\1\\|", " ".join(cell.split()))
