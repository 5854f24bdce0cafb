"""Detectors on a series of logged points: medians, persistence, episodes, trend and drawdown.

Every detector is causal (a point is judged by itself and earlier ones) and counts logged points, not steps. NaN means
"not known" and is never bridged: a window that holds one gives NaN, a streak starts anew behind it, and an open
episode neither grows nor ends over it, because silence is no recovery. ±Inf is a very large number, except to means.
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from diagnostics.run import Steps, Values

MEDIAN_WINDOW = 5
CLEAR_BELOW = 0.8  # an episode goes on while the value is past 0.8 × (or, below a positive limit, 1.25 ×) the limit
CLEAR_FACTOR = 2  # an episode ends after this many times its patience in calm points
TREND_POINTS = 10
TREND_PHI = 0.95  # highest autocorrelation that a trend is corrected for
NOISE_PHI = 0.6  # a real kink in the curve leaves residuals that look even more alike, and is no noise
EWMA_WEIGHT = 0.1
EWMA_SETTLE = 10  # points until the average has forgotten most of its first value's noise


@dataclass(frozen=True, slots=True)
class Episode:
    """A stretch of points past a limit, as indices into the series; `still`: it had not ended at the last point."""

    first: int
    last: int
    still: bool

    @property
    def length(self) -> int:
        """Points from the first to the last."""
        return self.last - self.first + 1


@dataclass(frozen=True, slots=True)
class Trend:
    """A monotone trend: `slope` in the series' unit per step, `p` the two-sided probability of it without any trend."""

    slope: float
    p: float


def rolling_median(values: Values, window: int = MEDIAN_WINDOW) -> Values:
    """(N,) The median of each point and the window − 1 before it; NaN where fewer exist or one of them is NaN."""
    medians = np.full(len(values), np.nan)
    if len(values) >= window:
        windows = np.lib.stride_tricks.sliding_window_view(values, window)
        medians[window - 1 :] = np.median(windows, axis=1)
    return medians


def baseline(values: Values, window: int, shift: int, least: int) -> Values:
    """(N,) The median of up to `window` finite points ending `shift` points earlier; NaN for fewer than `least`."""
    medians = np.full(len(values), np.nan)
    for index in range(shift, len(values)):
        earlier = values[max(0, index - shift - window + 1) : index - shift + 1]
        earlier = earlier[np.isfinite(earlier)]
        if len(earlier) >= least:
            medians[index] = np.median(earlier)
    return medians


def sustained(values: Values, points: int, *, above: bool = True) -> Values:
    """(N,) What a value kept up for `points` points in a row: their minimum, or maximum where low is bad.

    A limit is held for `points` points exactly where this number reaches it. NaN where a point is NaN or missing.
    """
    kept = np.full(len(values), np.nan)
    if len(values) >= points:
        windows = np.lib.stride_tricks.sliding_window_view(values, points)
        kept[points - 1 :] = windows.min(axis=1) if above else windows.max(axis=1)
    return kept


def episodes(values: Values, limit: float, patience: int, *, above: bool = True) -> tuple[Episode, ...]:
    """The stretches in which the values reached the limit for at least `patience` known points in a row.

    With hysteresis: an episode ends after 2 × patience known points in a row on the calm side of a relaxed limit, so
    that a series that touches its limit again and again is one episode.
    """
    bound = limit if above else -limit
    relaxed = bound * CLEAR_BELOW if bound > 0 else bound / CLEAR_BELOW
    found: list[Episode] = []
    first, last, streak = -1, -1, 0  # streak: points past the limit while closed, calm points while open
    for index, value in enumerate(values if above else -values):
        if math.isnan(value):
            streak = 0
        elif first < 0:
            streak = streak + 1 if value >= bound else 0
            if streak == patience:
                first, last, streak = index - patience + 1, index, 0
        elif value >= relaxed:
            last, streak = index, 0
        else:
            streak += 1
            if streak == CLEAR_FACTOR * patience:
                found.append(Episode(first, last, still=False))
                first, streak = -1, 0
    if first >= 0:
        found.append(Episode(first, last, still=True))
    return tuple(found)


def trend(steps: Steps, values: Values) -> Trend | None:
    """Theil–Sen slope and Mann–Kendall probability, corrected for ties and AR(1) noise; None below 10 finite points.

    Steps are the real ones, so a left-out NaN or Inf keeps the width of its gap. Training metrics are autocorrelated,
    which makes the textbook test see trends in plain noise: its variance is widened by (1 + φ) / (1 − φ).
    """
    finite = np.isfinite(values)
    x, y = steps[finite].astype(np.float64), values[finite]
    if len(y) < TREND_POINTS:
        return None
    later, earlier = np.triu_indices(len(y), k=1)[::-1]
    differences = y[later] - y[earlier]
    slope = float(np.median(differences / (x[later] - x[earlier])))
    variance = _kendall_variance(y) * _variance_inflation(y - slope * x, TREND_PHI)
    score = float(np.sign(differences).sum())
    z = (abs(score) - 1) / math.sqrt(variance) if score and variance > 0 else 0.0
    return Trend(slope, math.erfc(z / math.sqrt(2)))


def ewma(values: Values) -> Values:
    """(N,) Exponentially weighted mean with weight 0.1, corrected for its start; it starts anew behind a NaN or ±Inf.

    The first nine points of each start are NaN: they follow single values too closely to be called a mean.
    """
    means = np.full(len(values), np.nan)
    total, weight, known = 0.0, 0.0, 0
    for index, value in enumerate(values):
        if not math.isfinite(value):
            total, weight, known = 0.0, 0.0, 0
            continue
        total = (1 - EWMA_WEIGHT) * total + EWMA_WEIGHT * value
        weight = (1 - EWMA_WEIGHT) * weight + EWMA_WEIGHT
        known += 1
        if known >= EWMA_SETTLE:
            means[index] = total / weight
    return means


def drawdown(means: Values) -> Values:
    """(N,) How far each mean lies below the best one so far, ≥ 0; NaN where the mean is NaN."""
    return np.fmax.accumulate(means) - means


def noise(values: Values, window: int = 21) -> float:
    """Deviation of the finite values around their centred rolling median; 0 for fewer than `window` of them.

    Widened by √((1 + φ) / (1 − φ)) for autocorrelated noise, so that deviation / √n is the error of a mean of n points.
    """
    finite = values[np.isfinite(values)]
    if len(finite) < window:
        return 0.0
    medians = np.median(np.lib.stride_tricks.sliding_window_view(finite, window), axis=1)
    half = window // 2
    residuals = finite[half : len(finite) - half] - medians
    return float(np.std(residuals)) * math.sqrt(_variance_inflation(residuals, NOISE_PHI))


def _kendall_variance(values: Values) -> float:
    def term(counts: npt.NDArray[np.int64]) -> float:
        return float((counts * (counts - 1) * (2 * counts + 5)).sum()) / 18

    ties = np.unique(values, return_counts=True)[1]
    return term(np.array([len(values)])) - term(ties)


def _variance_inflation(residuals: Values, most: float) -> float:
    centred = residuals - residuals.mean()
    power = float(centred @ centred)
    phi = float(centred[1:] @ centred[:-1]) / power if power > 0 else 0.0
    phi = min(max(phi, 0.0), most)
    return (1 + phi) / (1 - phi)
