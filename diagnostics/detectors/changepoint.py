"""A break: the place where a series leaves one level for another from one logged point to the next.

Weights move a little with each update, and what an update does shows in the next batch at the earliest. A level that is
left at once, before any update could have brought it about, was left because a setting, a reward or the data changed.
"""

from dataclasses import dataclass

import numpy as np

from diagnostics.model.series import Series, Steps, Values

BEFORE = 10  # points at most that show the level before a break
LEAST = 5  # points at least on either side: all of one beyond all of the other happens by chance in 1 of 250 places
LATEST = 1000  # points that are searched; so far back a setting that changed is no news
AT_ONCE = 0.5  # of the way from the one level to the other; what is learned takes many updates


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


def find_break(series: Series | None) -> Break | None:
    """The widest break in the latest 1000 finite points of a series; None where it has none, or is not logged.

    A break has 5 to 10 points before it and 5 behind it, all of one side beyond all of the other, and goes half of the
    way between their medians from one point to the next.
    """
    return max(_breaks(series), key=lambda found: abs(found.after - found.before), default=None)


def break_at(series: Series | None, step: int) -> Break | None:
    """The break of a series at just this step; None where there is none."""
    return next((found for found in _breaks(series) if found.step == step), None)


def _breaks(series: Series | None) -> list[Break]:
    if series is None:
        return []
    steps, values = series.steps[-2 * LATEST :], series.values[-2 * LATEST :]
    finite = np.isfinite(values)
    steps, values = steps[finite][-LATEST:], values[finite][-LATEST:]
    if len(values) < 2 * LEAST:
        return []
    places = np.arange(LEAST, len(values) - LEAST + 1)
    low, high, middle = _before(values, places)
    after = np.lib.stride_tricks.sliding_window_view(values, LEAST)[places]
    apart = (after.min(axis=1) > high) | (after.max(axis=1) < low)
    way = np.median(after, axis=1) - middle
    at_once = (values[places] - values[places - 1]) * np.sign(way) >= AT_ONCE * np.abs(way)
    return [
        Break(int(steps[places[index]]), float(middle[index]), float(middle[index] + way[index]))
        for index in np.flatnonzero(apart & at_once)
    ]


def _before(values: Values, places: Steps) -> tuple[Values, Values, Values]:
    """(P,) The lowest, the highest and the median of the up to 10 points before each of P places."""
    padded = np.concatenate([np.full(BEFORE, np.nan), values])
    windows = np.lib.stride_tricks.sliding_window_view(padded, BEFORE)[places]
    return np.nanmin(windows, axis=1), np.nanmax(windows, axis=1), np.nanmedian(windows, axis=1)
