"""Parquet files; the only module that imports pyarrow.

A file of a megabyte may declare twenty million rows. So rows are taken up to a bound, batch by batch.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from diagnostics.foreign_files import check_cancelled, open_regular
from diagnostics.foreign_files.bounds import SAMPLE_ROWS, TABLE_BYTES, TABLE_CELLS
from diagnostics.told import told

INSTALL = told("parquet files need pyarrow, which is not installed; run: pip install 'rlvitals[data]'")
NOT_WHOLE = told(
    "cannot be read as parquet: it is not written to its end, damaged, or has more columns than pyarrow takes"
)
_BATCH_ROWS = 512  # a row may hold a megabyte of text
_BATCH_CELLS = 1 << 14
Row = dict[str, Any]


class Taken(NamedTuple):
    """Rows, or the cells of one column, and how many the file declares."""

    items: list[Any]
    declared: int

    def notes(self, file: Path) -> tuple[str, ...]:
        """A sentence if a bound left rows out."""
        if len(self.items) >= self.declared:
            return ()
        words = {"read": f"{len(self.items):,}", "file": file.name, "declared": f"{self.declared:,}"}
        return (told("the first {read} rows of {file} were read (of {declared})", **words),)


class Fitting(NamedTuple):
    """How many of the rows that a file declares are read as those of one step."""

    rows: int
    declared: int


def read_rows(file: Path) -> list[Row]:
    """The rows of one step; none if the file is gone, torn or not parquet. Raises ImportError without pyarrow."""
    found = _taken(file, SAMPLE_ROWS)
    return found.items if found else []


def rows_of_whole(file: Path) -> Taken | None:
    """The rows; None if the file is gone, torn or not parquet. Raises ImportError without pyarrow."""
    return _taken(file)


def fitting(file: Path) -> Fitting:
    """The rows that `read_rows` gives of a file, counted without making them; none if it cannot be read, or without
    pyarrow.

    They are decoded, since the footer tells their encoded size alone: a text that repeats is stored once.
    """
    try:
        with _opened(file) as table:
            return Fitting(_count(_bounded(table.iter_batches(_BATCH_ROWS))), table.metadata.num_rows)
    except ImportError:
        return Fitting(0, 0)
    except _errors(_pyarrow()):
        return Fitting(0, 0)


def is_whole(file: Path) -> bool:
    """Whether a file is complete: its footer is written last. Raises ImportError without pyarrow."""
    pyarrow = _pyarrow()
    try:
        with _opened(file):
            return True
    except _errors(pyarrow):
        return False


def first_row(file: Path) -> Row | None:
    """The first row; None if it cannot be read, or without pyarrow."""
    try:
        found = _taken(file, most=1)
    except ImportError:
        return None
    return next(iter(found.items), None) if found else None


def column(file: Path, name: str) -> Taken:
    """The values of one column; none if there is no such column. Raises ImportError without pyarrow."""
    pyarrow = _pyarrow()
    try:
        with _opened(file) as table:
            if name not in table.schema_arrow.names:
                return Taken([], 0)
            batches = table.iter_batches(_BATCH_CELLS, columns=[name])
            cells = (cell for batch in _bounded(batches) for cell in batch.column(0).to_pylist())
            return Taken(list(islice(cells, _most_rows(file, 1))), table.metadata.num_rows)
    except _errors(pyarrow):
        return Taken([], 0)


def rows_where(file: Path, name: str, value: Any) -> list[Row]:
    """The rows with this value in a column; row groups without it are not read. Raises ImportError without pyarrow."""
    pyarrow = _pyarrow()
    try:
        with _opened(file) as table:
            groups = [group for group in range(table.num_row_groups) if _may_hold(table, group, name, value)]
            batches = table.iter_batches(_BATCH_ROWS, row_groups=groups)
            found = _bounded(_equal(pyarrow, batch, name, value) for batch in batches)
            return list(islice((row for batch in found for row in batch.to_pylist()), SAMPLE_ROWS))
    except _errors(pyarrow):
        return []


def _taken(file: Path, most: int | None = None) -> Taken | None:
    """The rows up to a bound."""
    pyarrow = _pyarrow()
    try:
        with _opened(file) as table:
            most = most or _most_rows(file, len(table.schema_arrow.names))
            batches = _bounded(table.iter_batches(min(most, _BATCH_ROWS)))
            rows = (row for batch in batches for row in batch.to_pylist())
            return Taken(list(islice(rows, most)), table.metadata.num_rows)
    except _errors(pyarrow):  # gone, or still being written
        return None


def _count(batches: Iterator[Any]) -> int:
    """The rows of the batches, of which no more are read than the bound has."""
    rows = 0
    for batch in batches:
        rows += batch.num_rows
        if rows >= SAMPLE_ROWS:
            return SAMPLE_ROWS
    return rows


def _bounded(batches: Iterator[Any]) -> Iterator[Any]:
    """The batches that together stay below the bound of memory."""
    held = 0
    for batch in batches:
        check_cancelled()
        held += batch.nbytes
        if held > TABLE_BYTES:
            return
        yield batch


def _may_hold(table: Any, group: int, name: str, value: Any) -> bool:
    """Whether a row group may hold this value in a column, according to its statistics if it has any."""
    place = next((place for place in range(len(table.schema)) if table.schema.column(place).path == name), None)
    known = None if place is None else table.metadata.row_group(group).column(place).statistics
    if known is None or not known.has_min_max:
        return True
    try:
        return bool(known.min <= value <= known.max)
    except TypeError:
        return True


def _equal(pyarrow: Any, batch: Any, name: str, value: Any) -> Any:
    return batch.filter(pyarrow.compute.equal(batch.column(name), pyarrow.scalar(value, batch.schema.field(name).type)))


def _most_rows(file: Path, columns: int) -> int:
    """Of real numbers each takes a byte or more; only what repeats without end is cut off."""
    return max(TABLE_CELLS, file.stat().st_size) // max(1, columns) + 1


@contextmanager
def _opened(file: Path) -> Iterator[Any]:
    with open_regular(file) as opened, _pyarrow().parquet.ParquetFile(opened) as table:
        yield table


def _errors(pyarrow: Any) -> tuple[type[Exception], ...]:
    return OSError, KeyError, UnicodeDecodeError, pyarrow.ArrowException


def _pyarrow() -> Any:
    try:
        import pyarrow  # noqa: PLC0415 - heavy, and only this format needs it
        import pyarrow.compute  # noqa: PLC0415
        import pyarrow.parquet  # noqa: PLC0415
    except ImportError as error:
        raise ImportError(INSTALL) from error
    return pyarrow
