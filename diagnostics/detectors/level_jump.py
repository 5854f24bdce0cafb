"""Jumps: a level that a series leaves within a few points for one many times as high, and does not return to."""

import numpy as np

from diagnostics.detectors.arrays import Values
from diagnostics.detectors.rolling import baseline, rolling_minimum, sustained_level

CALM_POINTS = 3  # before the jump: their median shows that the series was not growing already
CALM = 2.0  # times the level before it


def lasting_jumps(values: Values, *, within: int, patience: int, window: int, smallest: float) -> tuple[Values, Values]:
    """(N,) What each point and the `patience` − 1 after it reached, over the level before, and (N,) that level.

    The level is the lowest that held within the `within` points up to it: the median of up to `window` finite points,
    at least `smallest`, of a series that was not growing already. NaN where one of the two is not known.
    """
    times, before = np.full(len(values), np.nan), np.full(len(values), np.nan)
    known = np.flatnonzero(np.isfinite(values))
    if len(known) <= patience:
        return times, before
    finite = values[known]
    level = np.maximum(baseline(finite, window, 1, 1), smallest)
    level[baseline(finite, CALM_POINTS, 1, 1) >= CALM * level] = np.nan
    before[known] = rolling_minimum(level, within)
    kept = np.append(sustained_level(finite, patience)[patience - 1 :], np.full(patience - 1, np.nan))
    times[known] = kept / before[known]
    return times, before
