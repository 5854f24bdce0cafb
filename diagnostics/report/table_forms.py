"""Tables: rows under named columns, as aligned text, JSON or Markdown."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from diagnostics.language import _
from diagnostics.report import markdown_elements as markup
from diagnostics.report.columns import columns, padded, wrap
from diagnostics.report.strict_json import to_json
from diagnostics.report.terminal import Style
from diagnostics.visible_text import one_line

_GAP = "  "
_NARROWEST_LAST_COLUMN = 30


@dataclass(frozen=True, slots=True)
class Table:
    """Rows as mappings from a column's key to its value; a row may hold more than the columns show, for JSON.

    `name` is the key of the rows in JSON, `columns` maps the shown keys to their titles, in order. `codes` are the keys
    whose values are names: code in Markdown. Columns in `wide` are left out of text.
    """

    name: str
    columns: Mapping[str, str]
    rows: Sequence[Mapping[str, Any]]
    codes: frozenset[str] = frozenset()
    wide: frozenset[str] = frozenset()

    def render(self, name: str, style: Style, **more: Any) -> str:
        """The table as "text", "json" or "markdown"; `more` is for JSON."""
        if name == "json":
            return self.json(**more)
        return self.markdown() if name == "markdown" else self.text(style)

    def text(self, style: Style) -> str:
        """Aligned columns; the last one wraps within the width."""
        titles = {key: _(title) for key, title in self.columns.items() if key not in self.wide}
        lines = [list(titles.values()), *([one_line(_cell(row.get(key))) for key in titles] for row in self.rows)]
        widths = [max(columns(line[column]) for line in lines) for column in range(len(titles) - 1)]
        return "\n".join(_aligned(line, widths, style.width) for line in lines)

    def json(self, **more: Any) -> str:
        """The rows with all their fields, in an object that may hold `more`."""
        return to_json({self.name: self.rows, **more})

    def markdown(self) -> str:
        """The shown columns."""
        rows = [[self._markdown_cell(key, row.get(key)) for key in self.columns] for row in self.rows]
        return markup.table(tuple(map(_, self.columns.values())), rows)

    def _markdown_cell(self, key: str, value: Any) -> str:
        cell = _cell(value)
        return markup.code(cell) if key in self.codes else markup.escaped(cell)


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, list | tuple):
        return ", ".join(map(_cell, value))
    return str(value)


def _aligned(cells: Sequence[str], widths: Sequence[int], width: int) -> str:
    start = "".join(padded(cell, size) + _GAP for cell, size in zip(cells[:-1], widths, strict=True))
    room = max(width - columns(start), _NARROWEST_LAST_COLUMN)
    indent = columns(start)
    wrapped = wrap(cells[-1], room) or [""]
    return ("\n" + " " * indent).join([start + wrapped[0], *wrapped[1:]]).rstrip()
