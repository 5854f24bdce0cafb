"""Series: what a log holds under one tag, and one metric over the steps of a run."""

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from diagnostics.model.derivation import Derivation
from diagnostics.model.metric import Metric
from diagnostics.model.vocabulary import EVAL_PREFIX, metric

Steps = npt.NDArray[np.int64]
Values = npt.NDArray[np.float64]

NO_STEPS: Steps = np.empty(0, dtype=np.int64)
NO_VALUES: Values = np.empty(0, dtype=np.float64)


@dataclass(frozen=True, slots=True)
class RawSeries:
    """What a file holds under one tag, in file order: nothing sorted, merged or dropped.

    steps (N,) int64 · values (N,) float64, NaN and ±Inf kept · times (N,) float64 seconds since the epoch, or empty.
    """

    tag: str
    steps: Steps
    values: Values
    times: Values = field(default_factory=lambda: NO_VALUES)

    def at(self, places: npt.NDArray[np.int64] | npt.NDArray[np.bool_]) -> "RawSeries":
        """The points at these indices, or where a mask is True."""
        times = self.times[places] if len(self.times) else self.times
        return RawSeries(self.tag, self.steps[places], self.values[places], times)


@dataclass(frozen=True, slots=True)
class Series:
    """One metric over the run: steps strictly increasing, the last point kept where the log has several for a step.

    steps (N,) int64 · values (N,) float64 in the metric's unit, NaN and ±Inf kept · times (N,) seconds since the
    epoch, or empty. `name` is the canonical name or, for an unmapped tag, the tag; `tag` is what the producer calls it,
    without the transport's prefix. `caveat` says where the producer's meaning differs from the vocabulary's. The points
    that a later one replaced (a resumed run that logged a step twice) stay in `replaced_steps`, `replaced_values`.
    `derivation` says how a series that no tag holds was computed; it is None for a logged one.
    """

    name: str
    tag: str
    steps: Steps
    values: Values
    times: Values = field(default_factory=lambda: NO_VALUES)
    caveat: str = ""
    replaced_steps: Steps = field(default_factory=lambda: NO_STEPS)
    replaced_values: Values = field(default_factory=lambda: NO_VALUES)
    derivation: Derivation | None = None

    def __len__(self) -> int:
        return len(self.steps)

    @property
    def metric(self) -> Metric | None:
        """The vocabulary's entry; None for an unmapped tag."""
        return metric(self.name)

    @property
    def unit(self) -> str:
        return self.metric.unit if self.metric else ""

    @property
    def is_eval(self) -> bool:
        return self.name.startswith(EVAL_PREFIX)

    @property
    def finite(self) -> npt.NDArray[np.bool_]:
        """(N,) True where the value is a number, neither NaN nor ±Inf."""
        return np.isfinite(self.values)
