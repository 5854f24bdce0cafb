"""One tag's points in the log as a series with one point per step, extended as the log grows.

Only new points are processed. The series is rebuilt if the old points are no longer a prefix of the new ones, if the
tag's meaning changed, or if a point arrived at an earlier step (which replaces a point, and memory already returned
must not change).
"""

from collections.abc import Mapping
from functools import lru_cache
from math import isfinite
from operator import lt
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from diagnostics.model.series import NO_STEPS, NO_VALUES, RawSeries, Series, Steps, Values
from diagnostics.model.vocabulary import EVAL_PREFIX
from diagnostics.producers.table import CALL_PREFIXES
from diagnostics.producers.trainer import MetricName
from diagnostics.readers.growing_array import Growing, extends

GAP_FACTOR = 1.5  # a distance between logged steps counts as a gap beyond this many usual distances
_FEW = 8  # points, over which Python's own loop is quicker than an array's


class TagMeaning(NamedTuple):
    """How to interpret a tag's points: its meaning, whether their order counts the steps, where the run resumed.

    `name` is None for an unknown tag.
    """

    tag: str
    name: MetricName | None = None
    counts_rows: bool = False
    resumed_after: tuple[int, ...] = ()

    @property
    def is_eval(self) -> bool:
        """Whether the tag belongs to an evaluation."""
        return (self.name.metric if self.name else self.tag).startswith(EVAL_PREFIX)

    @property
    def is_of_calls(self) -> bool:
        """Whether every call logs a point, so that several points per step are expected."""
        return self.tag.startswith(CALL_PREFIXES)

    @property
    def keeps_values(self) -> bool:
        """Whether the producer's values already are in the metric's unit."""
        return self.name is None or (self.name.power, self.name.scale, self.name.offset) == (1, 1, 0)

    def in_unit(self, values: Values) -> Values:
        """The producer's values converted to the metric's unit."""
        if self.name is None or self.keeps_values:
            return values
        powered = values if self.name.power == 1 else values**self.name.power
        scaled = powered if self.name.scale == 1 else powered * self.name.scale
        return scaled if self.name.offset == 0 else scaled + self.name.offset

    def steps(self, raw: RawSeries, known: int = 0) -> Steps:
        """The steps of the points after the first `known`."""
        if self.counts_rows:
            return np.arange(known + 1, len(raw.steps) + 1, dtype=np.int64)
        return raw.steps[known:]


class TagSeries:
    """One tag with its meaning: the points of the log so far, merge statistics, and the resulting series.

    points, nan, inf: how many points the log holds, and how many of them are NaN and infinite · rewinds: how often its
    steps go back · duplicates: points replaced by a later one at the same step; if every call logs a point, only those
    at a step that was left in between.
    """

    __slots__ = (
        "_gaps", "_raw", "_replaced", "_steps", "_times", "_values", "duplicates", "inf", "nan", "rewinds", "terms"
    )  # fmt: skip

    def __init__(self, terms: TagMeaning, raw: RawSeries) -> None:
        """Start with the points that the log holds so far."""
        self.terms = terms
        self._gaps: Gaps | None = None  # asked of one of the run's tags
        self._begin(raw)

    @property
    def points(self) -> int:
        return len(self._raw.steps)

    @property
    def size(self) -> int:
        """The number of points of the series."""
        return len(self._raw.steps if self._steps is None else self._steps)

    @property
    def steps(self) -> Steps:
        """(N,) The steps of the series."""
        return self._raw.steps if self._steps is None else self._steps.view()

    def update(self, raw: RawSeries) -> None:
        """Update from the log's current points."""
        known = self.points
        goes_on = known > 0 and _goes_on(raw, self._raw)
        steps = self.terms.steps(raw, known) if goes_on else NO_STEPS
        if not goes_on or (len(steps) and not (steps[0] > self.steps[-1] and _is_forward(steps))):
            self._begin(raw)
        elif len(steps):
            self._add(raw, steps, known)

    def series(self, name: str) -> Series:
        """The series so far, with this name."""
        raw, known = self._raw, self.terms.name
        return Series(
            name,
            self.terms.tag,
            self.steps,
            raw.values if self._values is None else self._values.view(),
            raw.times if self._times is None else self._times.view(),
            known.caveat if known else "",
            *self._replaced,
        )

    def gaps(self) -> int:
        """The number of missing steps, at the usual distance between two steps."""
        if self._gaps is None:
            self._gaps = Gaps()
        return self._gaps.count(self.steps)

    def _begin(self, raw: RawSeries) -> None:
        """Process all points; columns identical to the log's own are not stored twice."""
        steps, values = self.terms.steps(raw), self.terms.in_unit(raw.values)
        self._raw = raw
        self._gaps = None
        self._replaced = NO_STEPS, NO_VALUES
        self._steps = Growing(steps) if self.terms.counts_rows else None
        self._values = None if self.terms.keeps_values else Growing(values)
        self._times: Growing[np.float64] | None = None
        self.nan = self.inf = self.rewinds = self.duplicates = 0
        self._count(values)
        if not _is_forward(steps):
            self._keep_last_of_each_step(values, raw.times, _returns(steps.tobytes(), self.terms.resumed_after))

    def _add(self, raw: RawSeries, steps: Steps, known: int) -> None:
        """Append the points after the known ones, all at later steps."""
        values = self.terms.in_unit(raw.values[known:])
        self._raw = raw
        self._count(values)
        if self._steps is not None:
            self._steps.append(steps)
        if self._values is not None:
            self._values.append(values)
        if self._times is not None:
            self._times.append(raw.times[known:])

    def _count(self, values: Values) -> None:
        is_finite = all(map(isfinite, values.tolist())) if len(values) <= _FEW else bool(np.isfinite(values).all())
        if not is_finite:
            self.nan += int(np.count_nonzero(np.isnan(values)))
            self.inf += int(np.count_nonzero(np.isinf(values)))

    def _keep_last_of_each_step(self, values: Values, times: Values, found: "_Returns") -> None:
        """Sort the points by step; the last one written for a step counts."""
        self._steps, self._values = Growing(found.steps), Growing(values[found.keep])
        self._times = Growing(times[found.keep] if len(times) else times)
        self._replaced = found.replaced_steps, values[found.drop]
        self.rewinds = found.rewinds
        self.duplicates = found.stretches - len(found.keep) if self.terms.is_of_calls else len(found.drop)


class _Returns(NamedTuple):
    """What follows from steps that repeat or go back: the points to keep and to drop, by step, and their steps."""

    keep: npt.NDArray[np.intp]
    drop: npt.NDArray[np.intp]
    steps: Steps
    replaced_steps: Steps
    stretches: int  # of points at one step
    rewinds: int


@lru_cache(maxsize=4)
def _returns(content: bytes, resumed_after: tuple[int, ...]) -> _Returns:
    """Once for all the tags of one log that have the same steps: a row may hold a hundred thousand names."""
    steps = np.frombuffer(content, dtype=np.int64)
    order = np.argsort(steps, kind="stable")
    in_order = steps[order]
    is_last = np.append(in_order[1:] != in_order[:-1], True)
    keep, drop = order[is_last], order[~is_last]
    stretches = 1 + int(np.count_nonzero(np.diff(steps)))
    return _Returns(keep, drop, steps[keep], steps[drop], stretches, _rewinds(steps, resumed_after))


class Gaps:
    """Counts the steps that a series leaves out, from the distribution of distances between its steps."""

    __slots__ = ("_distances", "_known")

    def __init__(self) -> None:
        self._distances: dict[int, int] = {}
        self._known = 1  # processed steps; the first one has no distance

    def count(self, steps: Steps) -> int:
        """The gaps in all steps so far, (N,) increasing; they must extend those of the last call."""
        if len(steps) > self._known:
            between = np.diff(steps[self._known - 1 :]).view(np.uint64)  # steps may lie more than 2⁶³ apart
            distances, counts = np.unique(between, return_counts=True)
            for distance, count in zip(distances.tolist(), counts.tolist(), strict=True):
                self._distances[distance] = self._distances.get(distance, 0) + count
            self._known = len(steps)
        usual = _median(self._distances)
        wide = {distance: count for distance, count in self._distances.items() if distance > GAP_FACTOR * usual}
        return sum(count * (round(distance / usual) - 1) for distance, count in wide.items())


def _median(counts: Mapping[int, int]) -> float:
    """The median of numbers with these counts; 0 if there are none."""
    if len(counts) < 2:
        return float(next(iter(counts), 0))
    numbers = sorted(counts)
    upto = np.cumsum([counts[number] for number in numbers])
    last = int(upto[-1])
    low, high = (numbers[int(np.searchsorted(upto, place, side="right"))] for place in ((last - 1) // 2, last // 2))
    return (low + high) / 2


def _goes_on(new: RawSeries, old: RawSeries) -> bool:
    """Whether the old points are a prefix of the log's points."""
    have_times = (len(new.times) > 0) == (len(old.times) > 0)
    return (
        have_times
        and extends(new.steps, old.steps)
        and extends(new.values, old.values)
        and extends(new.times, old.times)
    )


def _is_forward(steps: Steps) -> bool:
    if len(steps) <= _FEW:
        numbers = steps.tolist()
        return all(map(lt, numbers, numbers[1:]))
    return int(np.count_nonzero(steps[1:] > steps[:-1])) == len(steps) - 1


def _rewinds(steps: Steps, resumed_after: tuple[int, ...]) -> int:
    """How often the steps go back; a single repeated step is a rewind only if the run says that it resumed there."""
    forward = np.diff(steps)
    again = steps[1:][forward == 0]
    return int((forward < 0).sum() + np.isin(again, np.asarray(resumed_after, dtype=np.int64) + 1).sum())
