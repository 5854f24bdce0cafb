"""The points in a table of steps: every column of numbers is a tag, at the steps of its step column."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from diagnostics.model.series import RawSeries
from diagnostics.readers.notebooks.tables import Table, step_place
from diagnostics.readers.rows import Rows
from diagnostics.readers.tables.metric_rows import csv_row, whole_step

_SIX_DECIMALS = re.compile(r"-?\d+\.\d{6}")
_LEAST_SHOWN = 5e-7


@dataclass(frozen=True, slots=True)
class TablePoints:
    """The series by column; `misfits` counts rows without a step, `rounded_to` is that of `DataHealth`."""

    tags: Mapping[str, RawSeries]
    misfits: int = 0
    rounded_to: float = 0.0


def points_of(table: Table) -> TablePoints:
    """The points of a table; none where no column is a step. A cell that is no number is a missing point."""
    place = step_place(table.header)
    if place is None:
        return TablePoints({})
    rows, misfits, is_rounded, axis = Rows(axes=()), 0, True, table.header[place]
    for cells in table.rows:
        row = csv_row(table.header[: len(cells)], cells[: len(table.header)])  # rows above a new column are shorter
        step = whole_step(row.pop(axis, None))
        if step is None:
            misfits += 1
            continue
        for name, value in row.items():
            if name:
                rows.add(name, value, step, 0.0)
        is_rounded = is_rounded and all(map(_SIX_DECIMALS.fullmatch, (cell for cell in cells if "." in cell)))
    return TablePoints(rows.columns.series(), misfits, _LEAST_SHOWN if is_rounded else 0.0)
