"""Averages: the level of a series over all of it, at its start, at its end, and smoothed."""

import math
from collections.abc import Iterator
from itertools import accumulate

import numpy as np
import numpy.typing as npt

from diagnostics.detectors.arrays import Values

EWMA_WEIGHT = 0.1
REMEMBERED = 1000  # points without a gap; an earlier one has a weight below 1e-45
EWMA_SETTLE = 10  # points until the average has forgotten most of its first value's noise


def ewma(values: Values) -> Values:
    """(N,) Exponentially weighted mean with weight 0.1, corrected for its start; it starts anew after a NaN or ±Inf.

    The first nine points of each start are NaN: they follow single values too closely to be called a mean.
    """
    means = np.full(len(values), np.nan)
    for start, stop in _finite_stretches(values):
        if stop - start >= EWMA_SETTLE:
            totals = _decayed_sums(EWMA_WEIGHT * values[start:stop])
            weights = EWMA_WEIGHTS[np.minimum(np.arange(stop - start), len(EWMA_WEIGHTS) - 1)]
            means[start + EWMA_SETTLE - 1 : stop] = (totals / weights)[EWMA_SETTLE - 1 :]
    return means


def median(values: npt.NDArray[np.float64] | npt.NDArray[np.int64]) -> float:
    """The median of one or more numbers without NaN, as `np.median` gives it, which takes five times as long."""
    middle = len(values) // 2
    if len(values) % 2:
        return float(np.partition(values, middle)[middle])
    lower, upper = np.partition(values, (middle - 1, middle))[middle - 1 : middle + 1].tolist()
    return float((lower + upper) / 2)


def latest_ewma(values: Values) -> float:
    """The last of the exponentially weighted means; NaN where there is none."""
    end = values[-REMEMBERED:]
    return latest_value(ewma(end if np.isfinite(end).all() else values))


def finite_median(values: Values) -> float:
    """The median of all finite values; NaN where there is none."""
    finite = values[np.isfinite(values)]
    return median(finite) if len(finite) else math.nan


def finite_mean(values: Values) -> float:
    """The mean of all finite values; NaN where there is none."""
    finite = values[np.isfinite(values)]
    return float(np.mean(finite)) if len(finite) else math.nan


def finite_deviation(values: Values) -> float:
    """The standard deviation of all finite values; NaN where there is none."""
    finite = values[np.isfinite(values)]
    return float(np.std(finite)) if len(finite) else math.nan


def start_level(values: Values, points: int = 20, warm_up: int = 0) -> float:
    """The median of the first finite values after the warm-up, to compare a run with; NaN where there is none."""
    first = _first_finite(values[warm_up:], points)
    return median(first) if len(first) else math.nan


def latest_value(values: Values) -> float:
    """The last finite value; NaN where there is none."""
    last = latest_finite(values, 1)
    return float(last[0]) if len(last) else math.nan


def latest_finite(values: Values, points: int) -> Values:
    """The last finite values, at most `points` of them."""
    return _first_finite(values[::-1], points)[::-1]


def finite_points(values: Values) -> int:
    """How many values are finite."""
    return int(np.count_nonzero(np.isfinite(values)))


def _first_finite(values: Values, points: int) -> Values:
    """The first finite values, at most `points`; of a long series no more than they need is looked at."""
    width = 2 * points
    while True:
        finite = values[:width][np.isfinite(values[:width])]
        if len(finite) >= points or width >= len(values):
            return finite[:points]
        width *= 4


def _finite_stretches(values: Values) -> Iterator[tuple[int, int]]:
    """The bounds [start, stop) of each stretch without a NaN or ±Inf."""
    edges = np.flatnonzero(np.diff(np.isfinite(values), prepend=False, append=False)).tolist()
    return zip(edges[::2], edges[1::2], strict=True)


def _decayed_sums(values: Values) -> Values:
    """(N,) The sum of each value and all before it, which lose a tenth with each point."""
    keep = 1 - EWMA_WEIGHT
    return np.array(list(accumulate(values.tolist(), lambda total, value: keep * total + value, initial=0.0))[1:])


EWMA_WEIGHTS = _decayed_sums(np.full(400, EWMA_WEIGHT))
"""The sums of the weights of the first points; from some 350 on they do not change in double precision."""
