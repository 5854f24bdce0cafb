"""Finds the rows of a training in a JSON document, however its author nested them.

Understood are a list of rows, a Trainer's state, rows or columns below any key, and columns beside each other, as in
`{"rewards": [0.1, 0.2, …], "losses": [0.9, 0.8, …]}`.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from diagnostics.readers.samples.tables import number_of
from diagnostics.readers.tables.metric_rows import (
    LEAST_COUNTED,
    STEP_NAMES,
    SURELY_OF_TRAINING,
    are_counted_rows,
    flat_row,
    is_metric_row,
    whole_step,
)
from diagnostics.readers.tables.trainer_state import HISTORY_KEY

History = Sequence[Any]  # rows, and what else the author put between them

DEEPEST = 3  # keys above the rows
MOST_SEEN = 100  # rows that are looked at to know what they are
_STEP_COLUMNS = frozenset({*STEP_NAMES, *(f"{name}s" for name in STEP_NAMES)})


def rows_in(document: Any) -> History:
    """The rows of a training: a Trainer's own, or the most that any place of the document holds; none without one."""
    history = document.get(HISTORY_KEY) if isinstance(document, dict) else None
    if isinstance(history, list):
        return history
    found = [document] if isinstance(document, list) else _below(document, DEEPEST)
    return max((rows for rows in found if _are_rows(rows, isinstance(document, list))), key=len, default=())


def _below(value: Any, depth: int) -> Iterator[History]:
    if not isinstance(value, dict) or depth == 0:
        return
    yield _rows_of_columns(value)
    for inner in value.values():
        if isinstance(inner, list):
            yield inner
        else:
            yield from _below(inner, depth - 1)


def _are_rows(rows: History, are_all: bool) -> bool:
    """Whether these are a training's; of rows that are but a part of a document, one names what a training logs."""
    objects = [row for row in rows[:MOST_SEEN] if isinstance(row, dict)]
    first = flat_row(objects[0]) if objects else {}
    if is_metric_row(first) and (are_all or any(map(SURELY_OF_TRAINING.search, first)) or _are_scores(objects)):
        return True
    return are_counted_rows(objects[:LEAST_COUNTED])


def _are_scores(objects: Sequence[Mapping[str, Any]]) -> bool:
    """Whether enough rows of a part of a document tell a score at rising steps: other tables of scores have none."""
    steps = [whole_step(row.get("step")) for row in objects]
    return (
        len(objects) >= LEAST_COUNTED
        and all(number_of(row.get("score")) is not None for row in objects)
        and all(one is not None and other is not None and one < other for one, other in pairwise(steps))
    )


def _rows_of_columns(columns: Mapping[str, Any]) -> History:
    """Columns of numbers as rows: those of the commonest length, with the steps if one of them counts these."""
    lists = {name: values for name, values in columns.items() if isinstance(values, list) and _are_numbers(values)}
    sizes = Counter(map(len, lists.values()))
    size = max(sizes, key=lambda length: (sizes[length], length), default=0)
    if size < LEAST_COUNTED:
        return ()
    named = {_row_name(name, values): values for name, values in lists.items() if len(values) == size}
    return [dict(zip(named, cells, strict=True)) for cells in zip(*named.values(), strict=True)]


def _row_name(name: str, values: Sequence[Any]) -> str:
    is_axis = name.lower() in _STEP_COLUMNS and all(whole_step(value) is not None for value in values)
    return "step" if is_axis else name


def _are_numbers(values: Sequence[Any]) -> bool:
    return all(value is None or number_of(value) is not None for value in values) and any(values)
