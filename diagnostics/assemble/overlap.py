"""Merges one tag's points from two logs of a run into one series, and finds where the logs disagree.

The first log's points count; the second fills its gaps. Only new points are processed: what both logs hold up to a step
that neither returns to is final and not merged again.
"""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from diagnostics.model.series import NO_STEPS, NO_VALUES, RawSeries, Steps, Values
from diagnostics.readers.growing_array import Growing, extends

RELATIVE_TOLERANCE = 1e-6  # float32, in which TensorBoard keeps its values, holds seven digits
ABSOLUTE_TOLERANCE = 1e-12
MOST_OPEN = 256  # points of a log that is ahead of the other, or continues alone; older ones are final
WORTH_SETTLING = 64  # open points; fewer are merged again faster than they are finalised
_NOTHING = RawSeries("", NO_STEPS, NO_VALUES)
_LOWEST = -(2**63)


@dataclass(frozen=True, slots=True)
class Difference:
    """Different values of one tag at one step in two logs."""

    tag: str
    step: int
    first: float
    second: float


@dataclass(frozen=True, slots=True)
class Disagreement:
    """The number of points at which two logs differ, and the first of them."""

    points: int = 0
    example: Difference | None = None

    def __add__(self, later: "Disagreement") -> "Disagreement":
        return Disagreement(self.points + later.points, self.example or later.example)


class Overlap:
    """One tag in two growing logs; each merge equals a merge from scratch, but processes only new points.

    It starts over if a log is no longer an extension of the old one, or returns to a final step.
    """

    def __init__(self) -> None:
        self._begin(_NOTHING, _NOTHING)

    def merge(self, first: RawSeries, second: RawSeries) -> tuple[RawSeries, Disagreement]:
        """The first series' points, with the second's at steps the first lacks; and where both differ."""
        if not self._goes_on(first, second):
            self._begin(first, second)
        self._first, self._second = first, second
        one, two = _points_after(first, self._settled[0]), _points_after(second, self._settled[1])
        filled = _filled(one, two)
        merged = self._final_and_later(filled, is_filled=self._is_filled or filled is not one)
        found = disagreement(filled, two)
        total = self._disagreement + found
        self._settle(one, two, filled)
        return merged, total

    def _begin(self, first: RawSeries, second: RawSeries) -> None:
        self._first, self._second = first, second
        self._settled = 0, 0, 0  # points of the first log, of the second one, and of both together
        self._top = _LOWEST  # no final point is at a later step
        self._disagreement = Disagreement()  # of the final points
        self._is_filled = False  # whether the final points include some of the second log
        self._kept: _Points | None = None

    def _goes_on(self, first: RawSeries, second: RawSeries) -> bool:
        one, two = first.steps[self._settled[0] :], second.steps[self._settled[1] :]
        return (
            _have_times(first, second) == _have_times(self._first, self._second)
            and all(_extends(new, old) for new, old in ((first, self._first), (second, self._second)))
            and all(len(steps) == 0 or self._top < steps.min() for steps in (one, two))
        )

    def _final_and_later(self, filled: RawSeries, *, is_filled: bool) -> RawSeries:
        """The final points and those after them; memory already returned to callers is never overwritten."""
        first, size, has_times = self._first, self._settled[2], _have_times(self._first, self._second)
        if not is_filled and (self._kept is None or not has_times):
            self._kept = None
            return first
        kept = self._kept or _Points(first.steps[:size], first.values[:size], first.times[:size])
        if not _extends(filled, _points_after(kept.series(has_times), size)):
            kept = kept.first(size)
        kept.append(_points_after(filled, len(kept) - size))
        self._kept = kept
        return replace(kept.series(has_times), tag=first.tag)

    def _settle(self, one: RawSeries, two: RawSeries, filled: RawSeries) -> None:
        """Finalise the points before a step that both logs have reached, if they precede all others."""
        if len(filled.steps) < WORTH_SETTLING:
            return
        bound = _complete_until(one.steps, two.steps)
        sizes = [int(np.count_nonzero(item.steps < bound)) for item in (one, two, filled)]
        parted = zip((one, two), sizes, strict=False)
        if not any(sizes) or any((item.steps[:size] >= bound).any() for item, size in parted):
            return
        closed = _points_before(filled, sizes[2])
        self._is_filled |= sizes[2] > sizes[0]
        self._disagreement += disagreement(closed, _points_before(two, sizes[1]))
        self._settled = self._settled[0] + sizes[0], self._settled[1] + sizes[1], self._settled[2] + sizes[2]
        self._top = max(self._top, int(closed.steps.max(initial=_LOWEST)))


class _Points:
    """Merged points with spare capacity; times are kept as far as known, and may go unused."""

    def __init__(self, steps: Steps, values: Values, times: Values) -> None:
        self._steps, self._values, self._times = Growing(steps), Growing(values), Growing(times)

    def __len__(self) -> int:
        return len(self._steps)

    def first(self, size: int) -> "_Points":
        return _Points(self._steps.view()[:size], self._values.view()[:size], self._times.view()[:size])

    def series(self, has_times: bool) -> RawSeries:
        return RawSeries("", self._steps.view(), self._values.view(), self._times.view() if has_times else NO_VALUES)

    def append(self, more: RawSeries) -> None:
        self._steps.append(more.steps)
        self._values.append(more.values)
        self._times.append(more.times)


def disagreement(series: RawSeries, other: RawSeries) -> Disagreement:
    """The points at which one log has a value that the other never has for that step.

    Steps with more points in one log than in the other are not compared: trackers count calls of timings separately.
    """
    if _is_forward(series.steps) and np.array_equal(series.steps, other.steps):
        wrong = ~_agree(series.values, other.values)
        steps, ours, theirs = series.steps, series.values, other.values
    else:
        last = dict(zip(other.steps.tolist(), other.values.tolist(), strict=True))
        where = np.isin(series.steps, _as_often(series.steps, other.steps))
        steps, ours = series.steps[where], series.values[where]
        theirs = np.array([last[step] for step in steps.tolist()], dtype=np.float64)
        wrong = ~np.isin(steps, steps[_agree(ours, theirs)])
    if not wrong.any():
        return Disagreement()
    place = int(wrong.argmax())
    example = Difference(series.tag, int(steps[place]), float(ours[place]), float(theirs[place]))
    return Disagreement(int(np.count_nonzero(wrong)), example)


def _filled(series: RawSeries, other: RawSeries) -> RawSeries:
    """A series' points, with another's at steps that it lacks, each before the next later step."""
    if np.array_equal(series.steps, other.steps):
        return series
    missing = ~np.isin(other.steps, series.steps)
    if not missing.any():
        return series
    steps, values = other.steps[missing], other.values[missing]
    lowest_from_here = np.minimum.accumulate(series.steps[::-1])[::-1]
    places = np.searchsorted(lowest_from_here, steps)
    return RawSeries(
        series.tag,
        np.insert(series.steps, places, steps),
        np.insert(series.values, places, values),
        np.insert(series.times, places, other.times[missing]) if _have_times(series, other) else series.times[:0],
    )


def _as_often(steps: Steps, other: Steps) -> Steps:
    """The steps that occur equally often in both."""
    counts, others = (np.unique(found, return_counts=True) for found in (steps, other))
    common, ours, theirs = np.intersect1d(counts[0], others[0], assume_unique=True, return_indices=True)
    found: Steps = common[counts[1][ours] == others[1][theirs]]
    return found


def _agree(ours: Values, theirs: Values) -> npt.NDArray[np.bool_]:
    """Whether values are equal in float32 precision, in which large values are infinite."""
    with np.errstate(over="ignore", invalid="ignore"):
        one, two = (item.astype(np.float32).astype(np.float64) for item in (ours, theirs))
        are_near = np.abs(one - two) <= ABSOLUTE_TOLERANCE + RELATIVE_TOLERANCE * np.abs(two)
        are_near &= np.isfinite(two)
    found: npt.NDArray[np.bool_] = are_near | (one == two) | (np.isnan(one) & np.isnan(two))
    return found


def _complete_until(one: Steps, two: Steps) -> int:
    """The step before which both logs are assumed to be complete."""
    bound = int(min(one.max(), two.max())) if len(one) and len(two) else _LOWEST
    return max([bound, *(int(steps[-MOST_OPEN]) for steps in (one, two) if len(steps) > MOST_OPEN)])


def _have_times(series: RawSeries, other: RawSeries) -> bool:
    return len(series.times) == len(series.steps) and len(other.times) == len(other.steps)


def _extends(new: RawSeries, old: RawSeries) -> bool:
    return extends(new.steps, old.steps) and extends(new.values, old.values) and extends(new.times, old.times)


def _points_after(series: RawSeries, size: int) -> RawSeries:
    return RawSeries(series.tag, series.steps[size:], series.values[size:], series.times[size:])


def _points_before(series: RawSeries, size: int) -> RawSeries:
    return RawSeries(series.tag, series.steps[:size], series.values[:size], series.times[:size])


def _is_forward(steps: Steps) -> bool:
    return bool((steps[1:] > steps[:-1]).all())
