"""One training run as rules, reports and the app see it: series, samples, configuration, provenance and status."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from diagnostics.model.histograms import Histograms
from diagnostics.model.quirks import Quirk
from diagnostics.model.recording import Source
from diagnostics.model.samples import Samples
from diagnostics.model.series import NO_STEPS, Series, Steps
from diagnostics.model.settings import Settings
from diagnostics.model.status import Status


@dataclass(frozen=True, slots=True)
class DataHealth:
    """The quality of the log, counted over all series. A rewind is a point at which the step went back.

    `rounded_to` is the smallest number above 0 that a rounding log can show: anything smaller reads 0 there.
    """

    points: int = 0
    nan: int = 0
    inf: int = 0
    duplicates: int = 0
    rewinds: int = 0
    gaps: int = 0
    malformed: int = 0
    unmapped_tags: tuple[str, ...] = ()
    rounded_to: float = 0.0


@dataclass(frozen=True, slots=True)
class Run:
    """One training run, read whole. Immutable; a growing run is read again as a new Run.

    `series` maps a canonical metric name, or an unmapped tag, to its Series; `histograms` does the same. `config` is
    flat, in the producer's argument names; `settings` holds the same by canonical name. `observed_at` (seconds since
    the epoch) is the moment of reading: rules have no clock of their own.
    """

    path: Path
    run_id: str
    name: str
    sources: tuple[Source, ...]
    producer: str
    producer_version: str | None
    algorithm: str
    series: Mapping[str, Series]
    config: Mapping[str, Any]
    samples: Samples
    status: Status
    data_health: DataHealth
    observed_at: float
    settings: Settings = field(default_factory=Settings)
    quirks: frozenset[Quirk] = frozenset()  # what its producer does differently
    histograms: Mapping[str, Histograms] = field(default_factory=dict)
    created: float | None = None
    task: str = ""
    parent: str | None = None
    console: Path | None = None
    console_tail: str = ""  # the last lines of a run that failed or died
    resumed_after: tuple[int, ...] = ()  # steps of the checkpoints from which it resumed
    notes: tuple[str, ...] = ()

    def get(self, *names: str) -> Series | None:
        """The first of these metrics that the run logs with at least one point."""
        return next((self.series[name] for name in names if name in self.series and len(self.series[name])), None)

    def by_reward_function(self, base: str) -> dict[str, Series]:
        """The series of one metric for each reward function, by function name: `functions("reward_func_mean")`."""
        prefix = base + "/"
        return {name.removeprefix(prefix): series for name, series in self.series.items() if name.startswith(prefix)}

    @property
    def last_step(self) -> int | None:
        """The last step at which anything was logged, else the one that its status names."""
        last = (int(series.steps[-1]) for series in self.series.values() if len(series))
        return max(last, default=self.status.step)

    @property
    def newest_time(self) -> float | None:
        """When the newest point was logged, in seconds since the epoch; None where the log has no times."""
        return max((float(series.times[-1]) for series in self.series.values() if len(series.times)), default=None)

    @property
    def steps(self) -> Steps:
        """(N,) every step at which anything was logged, increasing."""
        parts = [series.steps for series in self.series.values()]
        return np.unique(np.concatenate(parts)) if parts else NO_STEPS
