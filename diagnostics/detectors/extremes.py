"""Extremes: the highest or lowest value of a series, of all of it or so far."""

import math

import numpy as np

from diagnostics.detectors.arrays import Values


def extreme(values: Values, *, highest: bool = True) -> float:
    """The highest, or lowest, of all values; NaN only where there is no number."""
    farther = np.fmax if highest else np.fmin
    return float(farther.reduce(values, initial=math.nan)) + 0.0  # which makes −0 the 0 that it equals


def index_of_extreme(values: Values, *, highest: bool = True) -> int:
    """The index of the highest, or lowest, value, the first where there are several. Raises ValueError without any."""
    return int(np.nanargmax(values) if highest else np.nanargmin(values))


def extreme_so_far(values: Values, *, highest: bool = True) -> Values:
    """(N,) The highest, or lowest, of each value and those before it; NaN only before the first number."""
    farther = np.fmax if highest else np.fmin
    return np.asarray(farther.accumulate(values))


def drawdown(means: Values) -> Values:
    """(N,) How far each mean lies below the best one so far, ≥ 0; NaN where the mean is NaN."""
    return extreme_so_far(means) - means


def finite_range(values: Values) -> tuple[float, float]:
    """The lowest and the highest of the finite values; NaN twice where there is none."""
    finite = values[np.isfinite(values)]
    return float(np.fmin.reduce(finite, initial=math.nan)), float(np.fmax.reduce(finite, initial=math.nan))
