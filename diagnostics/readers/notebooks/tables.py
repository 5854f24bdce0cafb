"""Tables in the outputs of cells: HTML as callbacks and pandas write it, or columns of text.

HTML is parsed, never shown or executed; what is not a cell of a table is passed over.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser

from diagnostics.foreign_files import check_cancelled
from diagnostics.foreign_files.bounds import TABLE_CELLS
from diagnostics.readers.tables.metric_rows import STEP_NAMES
from diagnostics.told import told

SHORTENED = told("The notebook shows only a part of the table: the other rows are lost")
BEYOND = told("The first {count} cells of the tables in the notebook were read", count=f"{TABLE_CELLS:,}")
_CHUNK_CHARACTERS = 1 << 14
_LONGEST_TAG = 1 << 18  # characters: the parser looks at an unfinished tag anew with every chunk
_GAP = re.compile(r"\s{2,}")  # between two columns of a frame printed by pandas
_OF_NO_ROW = re.compile(r"[-=:+|.\s]*")  # rules, and the dots that stand for rows left out


@dataclass(slots=True)
class Table:
    """The cells of a table as text, the first row apart; `cut` says why there are fewer than it had.

    `progress` is the position of the progress bar above it, and where that ends.
    """

    header: Sequence[str] = ()
    rows: list[list[str]] = field(default_factory=list)
    progress: tuple[int, int] | None = None
    cut: str = ""

    def add(self, cells: list[str]) -> None:
        """Append a row; the first one is the header."""
        if not self.header:
            self.header = cells
        else:
            self.rows.append(cells)


def step_place(header: Sequence[str]) -> int | None:
    """Which column is the step, by its name alone."""
    names = [name.lower() for name in header]
    return next((names.index(name) for name in STEP_NAMES if name in names), None)


class NotebookTables:
    """Reads the tables in the outputs of one notebook, up to a bound of cells in all of them together."""

    def __init__(self, most_cells: int = TABLE_CELLS) -> None:
        self._left = most_cells

    def of(self, html: str, text: str) -> list[Table]:
        """The tables of an output in order: those of its HTML, else those of its text."""
        return self._in_html(html) or list(text_tables(text))

    def _in_html(self, html: str) -> list[Table]:
        if "<table" not in html or self._left <= 0:
            return []
        parser = _TableParser()
        for start in range(0, len(html), _CHUNK_CHARACTERS):
            check_cancelled()
            parser.feed(html[start : start + _CHUNK_CHARACTERS])
            if parser.cells > self._left or len(parser.rawdata) > _LONGEST_TAG:
                parser.cut()
                break
        self._left -= parser.cells
        return parser.found


class _TableParser(HTMLParser):
    """Collects the cells of tables, and the progress bar above each."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[Table] = []
        self.cells = 0
        self._row: list[str] | None = None
        self._words: list[str] | None = None  # of the cell that is open
        self._progress: tuple[int, int] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "progress":
            self._progress = _position(dict(attrs))
        elif tag == "table":
            self._end_row()
            self.found.append(Table(progress=self._progress))
            self._progress = None
        elif tag == "tr":
            self._end_row()
            self._row = []
        elif tag in ("td", "th"):
            self._end_cell()
            self._words = []

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th"):
            self._end_cell()
        elif tag in ("tr", "table"):
            self._end_row()

    def handle_data(self, data: str) -> None:
        if self._words is not None:
            self._words.append(data)

    def cut(self) -> None:
        """Note that the table which is open goes on."""
        if self.found:
            self.found[-1].cut = BEYOND

    def _end_cell(self) -> None:
        if self._words is not None and self._row is not None:
            self._row.append("".join(self._words).strip())
            self.cells += 1
        self._words = None

    def _end_row(self) -> None:
        self._end_cell()
        if self._row and self.found:
            self.found[-1].add(self._row)
        self._row = None


def _position(attributes: dict[str, str | None]) -> tuple[int, int] | None:
    value, end = attributes.get("value") or "", attributes.get("max") or ""
    is_known = value.isdecimal() and end.isdecimal() and max(len(value), len(end)) < 19
    return (int(value), int(end)) if is_known else None


def text_tables(text: str) -> Iterator[Table]:
    """The tables in a text: frames as pandas prints them, and columns between bars, with a column of steps."""
    table = Table()
    for line in text.split("\n"):
        if table.header and _OF_NO_ROW.fullmatch(line):
            table.cut = SHORTENED if "..." in line else table.cut
        elif (cells := _cells(line, table.header)) is not None:
            table.add(cells)
        else:
            if table.rows:
                yield table
            table = Table(_header(line))
    if table.rows:
        yield table


def _header(line: str) -> list[str]:
    """The names of the columns, if a line holds several and one of them is the step; pandas' index has none."""
    if "step" not in line.lower():
        return []
    cells = _between_bars(line) if "|" in line else _GAP.split(line.strip())
    return cells if len(cells) > 1 and step_place(cells) is not None and not any(map(str.isdecimal, cells)) else []


def _cells(line: str, header: Sequence[str]) -> list[str] | None:
    """A row under this header, without pandas' index; None if the line is not one."""
    place = step_place(header)
    if place is None:
        return None
    cells = _between_bars(line) if "|" in line else line.split()
    if "|" not in line and len(cells) == len(header) + 1:
        del cells[0]
    return cells if len(cells) == len(header) and cells[place].isdecimal() else None


def _between_bars(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]
