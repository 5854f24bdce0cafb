"""Markdown tables, inline code and escaped text."""

import re
from collections.abc import Iterable, Sequence

_MARKUP = re.compile(r"([\\`*\[\]<>|#~]|\b_|_\b)")  # an underscore within a word is only itself
_EMPTY = "–"


def table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table of cells that are Markdown already."""
    lines = [titles, ["---"] * len(titles), *rows]
    return "\n".join("| " + " | ".join(_one_line(cell) or _EMPTY for cell in line) + " |" for line in lines)


def escaped(text: str) -> str:
    """Text without markup: the name of a run or a reward function must not format anything."""
    return _MARKUP.sub(r"\\\1", text)


def code(text: str) -> str:
    """Text as inline code, in a table too; backticks inside become apostrophes."""
    return f"`{text.replace('`', chr(39)).replace('|', chr(0x2223))}`" if text else ""


def _one_line(cell: str) -> str:
    return " ".join(cell.split())
