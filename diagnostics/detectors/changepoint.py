"""Changepoints: where a series leaves one level for another from one logged point to the next.

Weights move a little with each update, and what an update does shows in the next batch at the earliest. A level that is
left at once, before any update could have brought it about, was left because a setting, a reward or the data changed.
"""

from dataclasses import dataclass

import numpy as np

from diagnostics.detectors.arrays import Steps, Values
from diagnostics.detectors.averages import finite_median

BEFORE = 10  # points at most that show the level before a break
LEAST = 5  # points at least on either side: all of one beyond all of the other happens by chance in 1 of 250 places
LATEST = 1000  # points that are searched; a setting that changed earlier is no news
AT_ONCE = 0.5  # of the way from one level to the other; what is learned takes many updates


@dataclass(frozen=True, slots=True)
class Break:
    """A level left at once: `step` is the first on the new level; `before` and `after` are the levels' medians."""

    step: int
    before: float
    after: float

    @property
    def rose(self) -> bool:
        return self.after > self.before

    @property
    def fell(self) -> bool:
        return self.after < self.before


def widest_break(steps: Steps, values: Values) -> Break | None:
    """The widest of the breaks of a series; None where it has none."""
    return max(find_breaks(steps, values), key=lambda found: abs(found.after - found.before), default=None)


def find_breaks(steps: Steps, values: Values) -> list[Break]:
    """The breaks in the latest 1000 finite points of a series.

    A break has 5 to 10 points before it and 5 after it, all of one side beyond all of the other, and goes half of the
    way between their medians from one point to the next.
    """
    steps, values = steps[-2 * LATEST :], values[-2 * LATEST :]
    finite = np.isfinite(values)
    steps, values = steps[finite][-LATEST:], values[finite][-LATEST:]
    if len(values) < 2 * LEAST:
        return []
    places = np.arange(LEAST, len(values) - LEAST + 1)
    before = _before(values)[places]
    after = np.lib.stride_tricks.sliding_window_view(values, LEAST)[places]
    apart = (after.min(axis=1) > np.nanmax(before, axis=1)) | (after.max(axis=1) < np.nanmin(before, axis=1))
    if not apart.any():
        return []
    places, before, after = places[apart], before[apart], after[apart]
    middle = np.array([finite_median(points) for points in before])
    way = np.median(after, axis=1) - middle
    is_at_once = (values[places] - values[places - 1]) * np.sign(way) >= AT_ONCE * np.abs(way)
    return [
        Break(int(steps[places[index]]), float(middle[index]), float(middle[index] + way[index]))
        for index in np.flatnonzero(is_at_once)
    ]


def _before(values: Values) -> Values:
    """(P + 1, 10) The up to 10 points before each of P places and before the end, NaN where there are fewer."""
    padded = np.concatenate([np.full(BEFORE, np.nan), values])
    return np.lib.stride_tricks.sliding_window_view(padded, BEFORE)
