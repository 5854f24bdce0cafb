"""One training run as rules, reports and the app see it: series, samples, configuration, provenance and status."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from diagnostics.model.histograms import Histograms
from diagnostics.model.project import NO_PROJECT, Project
from diagnostics.model.quirks import Quirk
from diagnostics.model.recording import Source
from diagnostics.model.samples import Samples
from diagnostics.model.series import NO_STEPS, Series, Steps
from diagnostics.model.settings import Settings
from diagnostics.model.status import Status
from diagnostics.model.vocabulary import EVAL_PREFIX, PER_FUNCTION, metric

_FEW = 1000  # metrics


@dataclass(frozen=True, slots=True)
class DataHealth:
    """The quality of the log, counted over all series. A rewind is a point at which the step went back.

    `understood_tags` are those of the unmapped tags that are no riddle: another name of a metric that is there already,
    or left out by a decision. `rounded_to` is the smallest number above 0 that a rounding log can show: what is smaller
    reads 0 there.
    """

    points: int = 0
    nan: int = 0
    inf: int = 0
    duplicates: int = 0
    rewinds: int = 0
    gaps: int = 0
    malformed: int = 0
    unmapped_tags: tuple[str, ...] = ()
    understood_tags: tuple[str, ...] = ()
    rounded_to: float = 0.0


class Unused(NamedTuple):
    """A logged tag that is not what its name says: why, as the end of a sentence."""

    tag: str
    why: str


@dataclass(frozen=True, slots=True)
class Run:
    """One training run, read whole. Immutable; a growing run is read again as a new Run.

    `series` maps a canonical metric name, or an unmapped tag, to its Series; `histograms` does the same. `derived`
    holds metrics that are not logged but follow from what is; it may compute them when asked. `tags` maps a metric to
    what its producer calls it, logged or not; `unused` maps one to a logged tag that is not it in this run. `config` is
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
    derived: Mapping[str, Series] = field(default_factory=dict)
    tags: Mapping[str, str] = field(default_factory=dict)
    unused: Mapping[str, Unused] = field(default_factory=dict)
    quirks: frozenset[Quirk] = frozenset()  # what its producer does differently
    histograms: Mapping[str, Histograms] = field(default_factory=dict)
    created: float | None = None
    task: str = ""
    parent: str | None = None
    console: Path | None = None
    console_tail: str = ""  # the last lines of a run that has not ended as planned
    device: str = ""  # the kind of device that trains ("cuda", "cpu"), where the format itself states it
    resumed_after: tuple[int, ...] = ()  # steps of the checkpoints from which it resumed
    notes: tuple[str, ...] = ()
    project: Project = NO_PROJECT  # what the rlvitals.toml above it says of limits and mutes

    def get(self, *names: str) -> Series | None:
        """The first of these metrics that the run logs with at least one point; where it logs none, the first that can
        be derived."""
        return _first_with_points(self.series, names) or _first_with_points(self.derived, names)

    def without_derived(self) -> "Run":
        """The run with what it logs alone."""
        return replace(self, derived={})

    def names_of(self, metrics: Sequence[str]) -> tuple[str, ...]:
        """What its producer calls these metrics, those that it logs; where it logs none, their titles."""
        return self.tags_for(metrics) or tuple(dict.fromkeys(map(_title, metrics)))

    def tags_for(self, metrics: Sequence[str]) -> tuple[str, ...]:
        """What its producer calls these metrics, those that it logs; on held-out prompts else as in training."""
        own = [tag for name in metrics if (tag := self.tags.get(name))]
        held_out = (name.removeprefix(EVAL_PREFIX) for name in metrics if name.startswith(EVAL_PREFIX))
        tags = own or [EVAL_PREFIX + tag for name in held_out if (tag := self.tags.get(name))]
        return tuple(dict.fromkeys(tag for tag in tags if not self._is_taken(tag)))

    def _is_taken(self, tag: str) -> bool:
        """Whether the "…" of a tag may be read as the name in one that is logged as another metric."""
        start, dots, end = tag.partition("…")
        logged = (series.tag for series in self.series.values())
        return bool(dots) and any(other.startswith(start) and other.endswith(end) for other in logged)

    def by_reward_function(self, base: str) -> dict[str, Series]:
        """The series of one metric for each reward function, by function name; none of a metric that has no such."""
        if base.removeprefix(EVAL_PREFIX) not in PER_FUNCTION:
            return {}
        prefix = base + "/"
        return {name.removeprefix(prefix): series for name, series in self.series.items() if name.startswith(prefix)}

    @property
    def first_step(self) -> int | None:
        """The first step at which anything was logged."""
        return min((int(series.steps[0]) for series in self.series.values() if len(series)), default=None)

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
        parts = _distinct([series.steps for series in self.series.values()])
        if not parts:
            return NO_STEPS
        return parts[0] if len(parts) == 1 else np.unique(np.concatenate(parts))


def _distinct(parts: Sequence[Steps]) -> Sequence[Steps]:
    """The arrays without most of those that another equals: metrics that are logged together share their steps.

    Thousands of short ones are as quickly sorted as compared.
    """
    if len(parts) > _FEW:
        return parts
    kept: dict[tuple[int, int, int], Steps] = {}
    others = []
    for part in parts:
        if not len(part):
            continue
        known = kept.setdefault((len(part), int(part[0]), int(part[-1])), part)
        if known is not part and not np.array_equal(known, part):
            others.append(part)
    return [*kept.values(), *others] or parts


def _first_with_points(series: Mapping[str, Series], names: Iterable[str]) -> Series | None:
    return next((found for name in names if (found := series.get(name)) is not None and len(found)), None)


def _title(name: str) -> str:
    """A metric's title in quotes: "“Reward” on held-out prompts"."""
    found = metric(name)
    return f"“{found.title if found else name}”" + (" on held-out prompts" if name.startswith(EVAL_PREFIX) else "")


def what_to_log(name: str) -> str:
    """A metric in words that stand on their own: "the standard deviation of the rewards"."""
    found = metric(name)
    return found.to_log if found and found.to_log and not name.startswith(EVAL_PREFIX) else _title(name)
