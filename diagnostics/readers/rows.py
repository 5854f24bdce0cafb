"""Rows of metrics as trackers store them: which value is the step, and what every other value is."""

import math
from collections.abc import Iterable, Mapping
from typing import Any

from diagnostics.model.histograms import Histogram
from diagnostics.readers.columns import Columns
from diagnostics.readers.files.json_lines import as_number
from diagnostics.readers.histogram_columns import HistogramColumns
from diagnostics.readers.samples.tables import number_of
from diagnostics.told import told

AXES = ("train/global_step", "training/global_step", "trainer/global_step", "global_step")
"""What trainers call their own step where the tracker counts calls instead, in order of trust."""
LARGEST_STEP = 2.0**63
_PHASES = frozenset({"train", "eval"})


class Rows:
    """The points of a tracker's rows, in file order, at the trainer's own steps.

    `axes` are the names that may contain the step. A row without any of them belongs to the previous row's step, once
    any row had one: trackers log timings and tables in separate calls. Until then the tracker's own count is used.
    """

    def __init__(self, axes: Iterable[str] = AXES) -> None:
        self.columns = Columns()
        self.histograms = HistogramColumns()
        self.axes = list(axes)
        self.skipped = 0  # values that are neither a number nor a histogram
        self.misfits = 0  # malformed histograms
        self.last_step: int | None = None
        self.is_evaluating = False  # whether the last row of metrics was an evaluation's; tables follow their row
        self._has_axis = False

    def step_of(self, row: Mapping[str, Any], counted: int | None) -> int | None:
        """The step that a row belongs to; `counted` is the tracker's own count. None if neither is given."""
        for axis in self.axes:
            value = as_number(row.get(axis))
            if value is not None and math.isfinite(value) and value.is_integer() and abs(value) < LARGEST_STEP:
                self._has_axis = True
                return int(value)
        return self.last_step if self._has_axis else counted

    def note_phase(self, row: Iterable[str]) -> None:
        """Infer from a row's names, as transformers chooses them, whether the trainer is training or evaluating."""
        phases = {name.partition("/")[0] for name in row if name not in AXES}
        if phases & _PHASES:
            self.is_evaluating = "eval" in phases

    def add(self, name: str, value: Any, step: int, time: float) -> None:
        """Add one value: a number, a histogram, a mapping of further values, or something that is skipped."""
        number = as_number(value) if not isinstance(value, str) else number_of(value)
        if number is not None:
            self.columns.add(name, step, number, time)
        elif not isinstance(value, dict):
            self.skipped += value is not None and not isinstance(value, str)
        elif "_type" not in value:
            for key, inner in value.items():
                self.add(f"{name}.{key}", inner, step, time)
        elif str(value["_type"]).endswith("histogram"):
            self._add_histogram(name, step, value)
        else:
            self.skipped += 1

    def notes(self) -> tuple[str, ...]:
        """A sentence about what was left out, if anything was."""
        if not self.skipped:
            return ()
        return (
            told("{count} values that are neither numbers, tables nor histograms were skipped", count=self.skipped),
        )

    def _add_histogram(self, name: str, step: int, value: Mapping[str, Any]) -> None:
        """W&B and trackio: `bins` are edges and `values` counts, or `packedBins` gives where equal-width bins start."""
        try:
            edges, counts = value.get("bins"), value.get("values")
            if packed := value.get("packedBins"):
                if packed["count"] != len(counts or []):  # it could declare any number
                    raise ValueError("other counts than bins")
                edges = [packed["min"] + index * packed["size"] for index in range(packed["count"] + 1)]
            self.histograms.add(name, step, Histogram.of(edges or [], counts or []))
        except (KeyError, TypeError, ValueError):
            self.misfits += 1
