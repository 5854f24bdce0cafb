"""The history of a W&B run, row by row: its points on the trainer's own steps, and its tables of completions."""

import bisect
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from diagnostics.readers.jsonlines import as_number, as_whole
from diagnostics.readers.rows import Rows
from diagnostics.readers.wandb_tables import WandbTables

TABLES = frozenset({"table-file", "incremental-table-file"})
OWN_KEYS = frozenset({"_step", "_runtime", "_timestamp", "_wandb"})


class WandbHistory:
    """What was taken in so far; `first_time` is that of the first row, in seconds since the epoch."""

    def __init__(self) -> None:
        self.rows = Rows()
        self.tables = WandbTables()
        self.first_time: float | None = None
        self._misfits = 0  # rows that name no step
        self._times: list[float] = []  # of the rows, and their steps
        self._steps: list[int] = []
        self._system: dict[str, tuple[Any, float]] = {}
        self._system_step = 0

    @property
    def malformed(self) -> int:
        """Rows without a step, and histograms that are none."""
        return self._misfits + self.rows.misfits

    def take(self, row: Mapping[str, Any], counted: int | None, files: Path) -> None:
        """Take in one row; `counted` is W&B's count where the row does not hold it, `files` where tables lie."""
        own = as_whole(row.get("_step"))
        step = self.rows.step_of(row, counted if own is None else own)
        if step is None:
            self._misfits += 1
            return
        written = as_number(row.get("_timestamp")) or 0.0
        self.rows.note_phase(row)
        for name, value in row.items():
            if isinstance(value, dict) and value.get("_type") in TABLES:
                self.tables.add(name, step, files, value, self.rows.is_evaluating)
            elif name not in OWN_KEYS and name not in self.rows.axes:
                self.rows.add(name, value, step, written)
        self.rows.last_step = step
        self._times.append(written)
        self._steps.append(step)
        self.first_time = self.first_time or written or None

    def take_system(self, row: Mapping[str, Any], time: float) -> None:
        """Take in what the machine was doing at a time: of the samples within one step the last one counts."""
        place = bisect.bisect_right(self._times, time) - 1
        if place < 0:
            return
        step = self._steps[place]
        if step != self._system_step:
            self.settle()
            self._system_step = step
        self._system.update({f"system/{name.removeprefix('system.')}": (value, time) for name, value in row.items()})

    def settle(self) -> None:
        """Take over the machine's newest samples: no further one is expected for their step."""
        for name, (value, time) in self._system.items():
            self.rows.add(name, value, self._system_step, time)
        self._system = {}

    def take_summary(self, summary: Mapping[str, Any]) -> None:
        """Take in the numbers that stand in the summary alone, at the last step: transformers ends a run with them."""
        step = self.rows.last_step
        known = {*self.rows.columns.tags, *OWN_KEYS, *self.rows.axes}
        for name, value in summary.items():
            number = None if isinstance(value, bool) else as_number(value)
            if step is not None and number is not None and name not in known:
                self.rows.columns.add(name, step, number, 0.0)
