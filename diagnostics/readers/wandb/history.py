"""The history of a W&B run: its points at the trainer's own steps, and its tables of completions."""

import bisect
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from diagnostics.readers.files.json_lines import as_number, as_whole
from diagnostics.readers.rows import AXES, Rows
from diagnostics.readers.wandb.bulk_rows import OWN_STEP, Column, RowBlock
from diagnostics.readers.wandb.protobuf_messages import Stats
from diagnostics.readers.wandb.tables import WandbTables

TABLES = frozenset({"table-file", "incremental-table-file"})
OWN_KEYS = frozenset({OWN_STEP, "_runtime", "_timestamp", "_wandb"})
SYSTEM = "system/"
_PHASES = ((), ("train",), ("eval",), ("train", "eval"))  # indexed by 1 for train plus 2 for eval


class WandbHistory:
    """Everything added so far; `first_time` is the first row's time in seconds since the epoch."""

    def __init__(self) -> None:
        self.rows = Rows()
        self.tables = WandbTables()
        self.first_time: float | None = None
        self._misfits = 0  # rows that name no step
        self._times: list[float] = []  # of the rows, and their steps
        self._steps: list[int] = []
        self._counts: list[int] = []  # W&B's own
        self._system: dict[str, tuple[Any, float]] = {}
        self._system_step = 0

    @property
    def last_time(self) -> float | None:
        """The last row's time in seconds since the epoch; None if it has none."""
        return self._times[-1] or None if self._times else None

    @property
    def malformed(self) -> int:
        """Rows without a step, and malformed histograms."""
        return self._misfits + self.rows.misfits

    def take(self, row: Mapping[str, Any], counted: int | None, files: Path) -> None:
        """Add one row; `counted` is W&B's step count if the row lacks it, `files` the folder of tables."""
        step = self._register_row(row, counted)
        if step is None:
            return
        self.rows.note_phase(row)
        self._take_values(row, step, files)

    def take_block(self, block: RowBlock, machine: Mapping[int, Sequence[Stats]], files: Path) -> None:
        """Add rows decoded in bulk; `machine` holds the system samples taken before each row."""
        count, skipped = len(block.counted), self._not_metrics
        known = [name for name in block.columns if name in skipped]
        entered, steps, times = np.zeros(count, np.bool_), np.zeros(count, np.int64), np.zeros(count)
        phases = _phases(block.columns, count)
        for index, (counted, *own) in enumerate(zip(block.counted, *map(block.exact_numbers, known), strict=True)):
            self.take_samples(machine.get(index, ()))
            rest = block.rest.get(index, {})
            step = self._register_row({**rest, **dict(zip(known, own, strict=True))}, counted)
            if step is not None:
                self.rows.note_phase((*_PHASES[phases[index]], *rest))
                self._take_values(rest, step, files)
                entered[index], steps[index], times[index] = True, step, self._times[-1]
        for name, (rows, values, _) in block.columns.items():
            chosen = entered[rows]
            if name not in skipped and chosen.any():
                self.rows.columns.extend(name, steps[rows[chosen]], values[chosen], times[rows[chosen]])
        self.take_samples(machine.get(count, ()))

    def _register_row(self, row: Mapping[str, Any], counted: int | None) -> int | None:
        """Register a row's time and return its step; None if it names none."""
        own = as_whole(row.get(OWN_STEP))
        count = counted if own is None else own
        step = self.rows.step_of(row, count)
        if step is None:
            self._misfits += 1
            return None
        written = as_number(row.get("_timestamp")) or 0.0
        self.rows.last_step = step
        self._times.append(written)
        self._steps.append(step)
        self._counts.append(step if count is None else count)
        self.first_time = self.first_time or written or None
        return step

    def _take_values(self, row: Mapping[str, Any], step: int, files: Path) -> None:
        """Add the values of the row entered last."""
        for name, value in row.items():
            if isinstance(value, dict) and value.get("_type") in TABLES:
                self.tables.add(name, step, files, value, self.rows.is_evaluating)
            elif name not in OWN_KEYS and name not in self.rows.axes:
                self.rows.add(name, value, step, self._times[-1])

    @property
    def _not_metrics(self) -> frozenset[str]:
        return OWN_KEYS.union(self.rows.axes)

    def take_samples(self, machine: Sequence[Stats]) -> None:
        """Add several system samples."""
        for stats in machine:
            self.take_system(stats.row, stats.time)

    def take_system(self, row: Mapping[str, Any], time: float) -> None:
        """Add a system sample; the last one within a step counts."""
        place = bisect.bisect_right(self._times, time) - 1
        if place < 0:
            return
        step = self._steps[place]
        if step != self._system_step:
            self.flush_system_samples()
            self._system_step = step
        self._system.update({f"{SYSTEM}{name.removeprefix('system.')}": (value, time) for name, value in row.items()})

    def tables_with_unnamed(self, folders: Iterable[Path]) -> WandbTables:
        """The tables of the rows, and those in the run's folders of files that no row names."""
        return self.tables.with_unnamed(folders, int if self._counts == self._steps else self._step_at)

    def _step_at(self, count: int) -> int:
        """The trainer's step at one of W&B's counts: that of the last row up to there."""
        place = bisect.bisect_right(self._counts, count) - 1
        return count if place < 0 else self._steps[place]

    def flush_system_samples(self) -> None:
        """Store the newest system samples: no further ones are expected for their step."""
        for name, (value, time) in self._system.items():
            self.rows.add(name, value, self._system_step, time)
        self._system = {}

    def take_summary(self, summary: Mapping[str, Any]) -> None:
        """Add numbers found only in the summary, at the last step: transformers ends a run with them."""
        step = self.rows.last_step
        known = {*self.rows.columns.tags, *OWN_KEYS, *self.rows.axes}
        for name, value in summary.items():
            number = None if isinstance(value, bool) else as_number(value)
            if step is not None and number is not None and name not in known:
                self.rows.columns.add(name, step, number, 0.0)


def _phases(columns: Mapping[str, Column], count: int) -> list[int]:
    """The phase of each row by its names, as in `Rows.note_phase`: an index into `_PHASES`."""
    found = np.zeros((2, count), np.int64)
    for name, column in columns.items():
        phase = name.partition("/")[0]
        if phase in ("train", "eval") and name not in AXES:
            found[int(phase == "eval"), column.rows] = 1
    return (found[0] + 2 * found[1]).tolist()  # type: ignore[no-any-return]
