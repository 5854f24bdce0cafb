"""A row of metrics in a table: which of its columns counts the steps, and what its cells say."""

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from diagnostics.readers.files.json_lines import as_whole
from diagnostics.readers.samples.tables import STEP_COLUMNS, is_sample_table, number_of
from diagnostics.told import told

STEP_NAMES = (  # in lower case
    *STEP_COLUMNS,
    "current_steps",
    "global_step/max_steps",
    "num_updates",
    "iteration",
    "iter",
    "update",
    "rollout",
    "episode",
    "total_timesteps",
)
LEAST_COUNTED = 10  # rows without a step that are taken for a training's
MOST_BELOW = 50  # numbers below one name; more are a table of another kind
LONGEST_WORD = 40  # characters in a cell of such a row: longer ones are texts
SURELY_OF_TRAINING = re.compile(r"(?i)reward|loss|(?<![a-z])(?:kl|return)(?![a-z])")
"""What a number of a training is called where no step tells that a row is one's. "Score" is in many other tables."""
_OWN_STEP = re.compile(r"(?:grpo|ppo|rloo|rl|train|policy|optimizer|update|outer)[_ ]?(?:step|iteration|iter|update)")
_NESTS = "data", "metrics"
OUT_OF = re.compile(r"(?P<step>\d{1,18})/(?P<total>\d{1,18})")


def is_metric_row(row: Mapping[str, Any]) -> bool:
    """Whether a row names a step and at least one other number, and is not a sampled completion."""
    if is_sample_table(row):
        return False
    flat = flat_row(row)
    step = step_column(flat)
    return step is not None and any(number_of(value) is not None for name, value in flat.items() if name != step)


def are_counted_rows(rows: Sequence[Mapping[str, Any]]) -> bool:
    """Whether these rows are a training's though none names its step: enough, with the same names, all of numbers."""
    names = {tuple(row) for row in rows}
    return len(rows) >= LEAST_COUNTED and len(names) == 1 and all(map(_may_be_counted, rows))


def _may_be_counted(row: Mapping[str, Any]) -> bool:
    """Whether a row without a step holds numbers alone, and one that a training would log."""
    flat = flat_row(row)
    numbers = [name for name, value in flat.items() if number_of(value) is not None]
    texts = [value for value in flat.values() if isinstance(value, str | list)]
    return (
        len(numbers) > 1
        and any(map(SURELY_OF_TRAINING.search, numbers))
        and all(isinstance(text, str) and len(text) <= LONGEST_WORD for text in texts)
        and step_column(flat) is None
        and not is_sample_table(row)
    )


def counted_by(axis: str | None) -> str:
    """A sentence about what counts the steps of a table: a column, or its rows."""
    if axis is None:
        return told("no column counts the steps, so the rows are counted")
    return told("the column {column} counts the steps", column=axis)


def step_column(row: Mapping[str, Any]) -> str | None:
    """The step column: the first of the usual names, in letters of any case, with an integer in this row.

    Without one of these it is the first that is called after an algorithm, as `grpo_step`.
    """
    spelled = {name.lower(): name for name in reversed(list(row)) if whole_step(row[name]) is not None}
    usual = next((spelled[name] for name in STEP_NAMES if name in spelled), None)
    return usual or next((spelled[name] for name in reversed(spelled) if _OWN_STEP.fullmatch(name)), None)


def whole_step(value: Any) -> int | None:
    """A cell or JSON value as a step: a whole number, also as a float or as `5/50`; None if it is not one."""
    if isinstance(value, str) and (match := OUT_OF.fullmatch(value)):
        return int(match["step"])
    if isinstance(value, float) and math.isfinite(value) and value.is_integer():
        value = int(value)
    return as_whole(value)


def flat_row(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """A row's metrics: verl nests them under `data`, non-finite ones as null; others put them beside the step.

    Many loops of people's own nest them under `metrics`. Numbers below a name, as in `{"reward": {"mean": 0.5}}`, get
    both names, `reward/mean`.
    """
    nest = next((name for name in _NESTS if isinstance(row.get(name), dict)), None)
    if nest is not None:
        metrics = {name: math.nan if value is None else value for name, value in row[nest].items()}
        row = {**{name: value for name, value in row.items() if name != nest}, **metrics}
    below = [name for name, value in row.items() if isinstance(value, dict) and _are_numbers(value)]
    if not below:
        return row
    flat = {f"{name}/{inner}": value for name in below for inner, value in row[name].items()}
    return {**{name: value for name, value in row.items() if name not in below}, **flat}


def _are_numbers(values: Mapping[str, Any]) -> bool:
    return 0 < len(values) <= MOST_BELOW and all(number_of(value) is not None for value in values.values())


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
