"""Trends: whether a series rises or falls over its steps by more than autocorrelated noise explains."""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from diagnostics.detectors.arrays import Steps, Values
from diagnostics.detectors.averages import median

TREND_POINTS = 10
MOST_TREND_POINTS = 500  # whose pairs are compared; a longer series is reduced to as many means
TREND_PHI = 0.95  # highest autocorrelation that a trend is corrected for


@dataclass(frozen=True, slots=True)
class Trend:
    """A monotone trend: `slope` in the series' unit per step, `p` the two-sided probability of it without any trend."""

    slope: float
    p: float


def trend(steps: Steps, values: Values) -> Trend | None:
    """Theil–Sen slope and Mann–Kendall probability, corrected for ties and AR(1) noise; None below 10 finite points.

    Steps are the real ones, so a left-out NaN or Inf keeps the width of its gap. Training metrics are autocorrelated,
    which makes the textbook test see trends in plain noise: its variance is widened by (1 + φ) / (1 − φ). More than
    500 points are judged by 500 means of neighbours, because all pairs of a long run are too many.
    """
    finite = np.isfinite(values)
    x, y = means_of_neighbours(steps[finite].astype(np.float64)), means_of_neighbours(values[finite])
    if len(y) < TREND_POINTS:
        return None
    earlier, later = pairs(len(y))
    differences = y[later] - y[earlier]
    slope = median(differences / (x[later] - x[earlier]))
    residuals = y - slope * x
    variance = kendall_variance(y) * variance_inflation(residuals - residuals.mean(), TREND_PHI)
    score = float(np.sign(differences).sum())
    z = (abs(score) - 1) / math.sqrt(variance) if score and variance > 0 else 0.0
    return Trend(slope, math.erfc(z / math.sqrt(2)))


def lasting_slope(steps: Steps, values: Values, window: int, patience: int, p: float) -> float:
    """The slope, in units per step, that the last `window` points share with the `window` points `patience` earlier.

    0 unless both have a trend of the same sign that is less probable than `p` by chance.
    """
    now = trend(steps[-window:], values[-window:])
    if now is None or now.p >= p:
        return 0.0
    before = trend(steps[-window - patience : -patience], values[-window - patience : -patience])
    return now.slope if before is not None and before.p < p and now.slope * before.slope > 0 else 0.0


def means_of_neighbours(values: Values) -> Values:
    """The values themselves, or 500 means of consecutive stretches of a longer series."""
    if len(values) <= MOST_TREND_POINTS:
        return values
    edges = np.linspace(0, len(values), MOST_TREND_POINTS + 1).astype(np.intp)
    return np.asarray(np.add.reduceat(values, edges[:-1]) / np.diff(edges))


@lru_cache(maxsize=8)  # windows have few lengths, and finding the pairs costs more than using them
def pairs(count: int) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """(P,) and (P,): the indices of all P pairs of `count` points, the earlier of each and the later."""
    earlier, later = np.triu_indices(count, k=1)
    return earlier, later


def kendall_variance(values: Values) -> float:
    """The variance of Kendall's score of independent values, ties taken into account."""

    def term(counts: npt.NDArray[np.int64]) -> float:
        return float((counts * (counts - 1) * (2 * counts + 5)).sum()) / 18

    ties = np.unique(values, return_counts=True)[1]
    return term(np.array([len(values)])) - term(ties)


def variance_inflation(residuals: Values, most: float) -> float:
    """The inflation of noise around a fitted line, which biases φ by −(2 + 4 φ) / N (Marriott and Pope 1954)."""
    power, points = float(residuals @ residuals), len(residuals)
    found = float(residuals[1:] @ residuals[:-1]) / power if power > 0 else 0.0
    return inflation((points * found + 2) / (points - 4), most)


def inflation(phi: float, most: float) -> float:
    """How much wider the variance of a mean is than for independent points; `most` caps the autocorrelation φ."""
    phi = min(max(phi, 0.0), most)
    return (1 + phi) / (1 - phi)
