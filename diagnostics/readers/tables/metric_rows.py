"""A row of metrics in a table: which of its columns counts the steps, and what its cells say."""

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from diagnostics.readers.files.json_lines import as_whole
from diagnostics.readers.samples.tables import STEP_COLUMNS, is_sample_table, number_of

STEP_NAMES = (  # in lower case
    *STEP_COLUMNS,
    "current_steps",
    "global_step/max_steps",
    "num_updates",
    "episode",
    "total_timesteps",
)
OUT_OF = re.compile(r"(?P<step>\d{1,18})/(?P<total>\d{1,18})")


def is_metric_row(row: Mapping[str, Any]) -> bool:
    """Whether a row names a step and at least one other number, and is not a sampled completion."""
    if is_sample_table(row):
        return False
    flat = flat_row(row)
    step = step_column(flat)
    return step is not None and any(number_of(value) is not None for name, value in flat.items() if name != step)


def step_column(row: Mapping[str, Any]) -> str | None:
    """The step column: the first of the usual names, in letters of any case, with an integer in this row."""
    spelled = {name.lower(): name for name in reversed(list(row)) if whole_step(row[name]) is not None}
    return next((spelled[name] for name in STEP_NAMES if name in spelled), None)


def whole_step(value: Any) -> int | None:
    """A cell or JSON value as a step: a whole number, also as a float or as `5/50`; None if it is not one."""
    if isinstance(value, str) and (match := OUT_OF.fullmatch(value)):
        return int(match["step"])
    if isinstance(value, float) and math.isfinite(value) and value.is_integer():
        value = int(value)
    return as_whole(value)


def flat_row(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """A row's metrics: verl nests them under `data`, non-finite ones as null; others put them beside the step."""
    data = row.get("data")
    if not isinstance(data, dict):
        return row
    metrics = {name: math.nan if value is None else value for name, value in data.items()}
    return {**{name: value for name, value in row.items() if name != "data"}, **metrics}


def csv_row(header: Sequence[str], cells: Sequence[str]) -> dict[str, Any]:
    """The cells by column, numbers parsed; an empty cell is a missing point, and a column without a name an index."""
    return {name: _cell(cell) for name, cell in zip(header, cells, strict=True) if name.strip() and cell.strip()}


def _cell(cell: str) -> Any:
    try:
        return int(cell)
    except ValueError:
        number = number_of(cell)
        if number is not None:
            return number
    try:
        return float(cell)
    except ValueError:
        return cell
