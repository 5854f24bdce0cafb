"""Detectors on a series of logged points: medians, persistence, episodes, trend and drawdown.

Every detector is causal (a point is judged by itself and earlier ones) and counts logged points, not steps. NaN means
"not known" and is never bridged: a window that holds one gives NaN, a streak starts anew behind it, and an open
episode neither grows nor ends over it, because silence is no recovery. ±Inf is a very large number, except to means.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np
import numpy.typing as npt

from diagnostics.detectors.growing import looks_back, pointwise, summed_up
from diagnostics.model.series import Steps, Values

MEDIAN_WINDOW = 5
CLEAR_BELOW = 0.8  # an episode goes on while the value is past 0.8 × (or, below a positive limit, 1.25 ×) the limit
CLEAR_FACTOR = 2  # an episode ends after this many times its patience in calm points
TREND_POINTS = 10
MOST_TREND_POINTS = 500  # whose pairs are compared; more are brought to as many means
TREND_PHI = 0.95  # highest autocorrelation that a trend is corrected for
MAD_TO_DEVIATION = 1.4826  # of normal noise: its standard deviation over its median absolute deviation
CHUNK = 4096  # windows that are sorted at once


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


@looks_back(lambda window=MEDIAN_WINDOW: window - 1)
def rolling_median(values: Values, window: int = MEDIAN_WINDOW) -> Values:
    """(N,) The median of each point and the window − 1 before it; NaN where fewer exist or one of them is NaN."""
    return plain_rolling_median(values, window)


def plain_rolling_median(values: Values, window: int) -> Values:
    """The same of a stretch that is not the beginning of a series, so that nothing of it is remembered."""
    medians = np.full(len(values), np.nan)
    for part, windows in _windows(values, window):
        known = ~np.isnan(windows[:, -1])  # sorted: a NaN stands last
        middle = (windows[:, (window - 1) // 2] + windows[:, window // 2]) / 2
        medians[part] = np.where(known, middle, np.nan)
    return medians


@looks_back(lambda window, shift, least: window - 1 + shift)
def baseline(values: Values, window: int, shift: int, least: int) -> Values:
    """(N,) The median of up to `window` finite points ending `shift` points earlier; NaN for fewer than `least`."""
    medians = np.full(len(values), np.nan)
    if len(values) <= shift:
        return medians
    earlier = _with_room(values[: len(values) - shift], window)
    for part, windows in _windows(earlier, window):
        counts = np.isfinite(windows).sum(axis=1)
        medians[part.start - window + 1 + shift : part.stop - window + 1 + shift] = _medians(windows, counts, least)
    return medians


@looks_back(lambda window, least, floor: window)
def robust_z(values: Values, window: int, least: int, floor: float) -> Values:
    """(N,) How many robust deviations each point lies above the median of the up to `window` finite points before it.

    The deviation is 1.4826 times the median absolute deviation of those points, and at least `floor` (in the values'
    own unit): rounded or constant metrics have a deviation of 0, which would make any change infinitely far. NaN for
    fewer than `least` points.
    """
    scores = np.full(len(values), np.nan)
    if len(values) < 2:
        return scores
    for part, windows in _windows(_with_room(values[:-1], window), window):
        counts = np.isfinite(windows).sum(axis=1)
        medians = _medians(windows, counts, least)
        spreads = _medians(np.sort(np.abs(windows - medians[:, None]), axis=1), counts, least)
        judged = slice(part.start - window + 2, part.stop - window + 2)
        scores[judged] = (values[judged] - medians) / np.maximum(MAD_TO_DEVIATION * spreads, floor)
    return scores


def finite_points(values: Values) -> int:
    """How many values are finite."""
    return summed_up("finite_points", values, _more_finite_points)


def _more_finite_points(values: Values, known: int, points: int | None) -> int:
    return (points or 0) + int(np.count_nonzero(np.isfinite(values[known:])))


def start_level(values: Values, points: int = 20, warm_up: int = 0) -> float:
    """The median of the first finite values behind the warm-up, to compare a run with; NaN where there is none."""
    first = _first_finite(values[warm_up:], points)
    return float(np.median(first)) if len(first) else math.nan


def _first_finite(values: Values, points: int) -> Values:
    """The first finite values, at most so many; a long series is looked at no farther than they need."""
    width = 2 * points
    while True:
        finite = values[:width][np.isfinite(values[:width])]
        if len(finite) >= points or width >= len(values):
            return finite[:points]
        width *= 4


def latest_finite(values: Values, points: int) -> Values:
    """The last finite values, at most so many; a long series is looked back at no farther than they need."""
    return _first_finite(values[::-1], points)[::-1]


def times_own_past(values: Values, window: int, shift: int, least: int, smallest: float) -> tuple[Values, Values]:
    """(N,) each value over its own median of up to `window` points ending `shift` earlier, and (N,) that median.

    The median is taken to be at least `smallest`, because one of 0 would make any value infinitely high.
    """
    base = pointwise(np.maximum, baseline(values, window, shift, least), smallest)
    return pointwise(np.divide, values, base), base


@looks_back(lambda points, *, above=True: points - 1)
def sustained(values: Values, points: int, *, above: bool = True) -> Values:
    """(N,) What a value kept up for `points` points in a row: their minimum, or maximum where low is bad.

    A limit is held for `points` points exactly where this number reaches it. NaN where a point is NaN or missing.
    """
    return _plain_sustained(values, points, above=above)


def _plain_sustained(values: Values, points: int, *, above: bool) -> Values:
    kept = np.full(len(values), np.nan)
    if len(values) < points:
        return kept
    worse = np.minimum if above else np.maximum
    ends, width = values, 1
    while width < points:  # what held for two overlapping stretches held for both together
        step = min(width, points - width)
        ends, width = worse(ends[:-step], ends[step:]), width + step
    kept[points - 1 :] = ends
    return kept


@looks_back(lambda points, of: of - 1)
def reached_by(values: Values, points: int, of: int) -> Values:
    """(N,) What at least `points` of the last `of` points reached: their `points`-th largest value.

    A limit is reached by n of m points exactly where this number reaches it. NaN where a point is NaN or missing.
    """
    reached = np.full(len(values), np.nan)
    for part, windows in _windows(values, of):
        reached[part] = np.where(np.isnan(windows[:, -1]), np.nan, windows[:, of - points])
    return reached


def episodes(values: Values, limit: float, patience: int, *, above: bool = True) -> tuple[Episode, ...]:
    """The stretches in which the values reached the limit for at least `patience` known points in a row.

    With hysteresis: an episode ends after 2 × patience known points in a row on the calm side of a relaxed limit, so
    that a series that touches its limit again and again is one episode.
    """
    return summed_up(("episodes", limit, patience, above), values, partial(_more_episodes, limit, patience, above))


def _more_episodes(
    limit: float, patience: int, above: bool, values: Values, known: int, before: tuple[Episode, ...] | None
) -> tuple[Episode, ...]:
    """The episodes of all values, going on from those of the known ones; only the last of them may still go on."""
    found = list(before or ())
    begun = found.pop() if found and found[-1].still else None
    start = max(0, known - CLEAR_FACTOR * patience)
    sign = 1.0 if above else -1.0
    upward, bound = sign * values[start:], sign * limit
    relaxed = bound * CLEAR_BELOW if bound > 0 else bound / CLEAR_BELOW
    opens = np.flatnonzero(_plain_sustained(upward, patience, above=True) >= bound) + start
    restless = np.flatnonzero(upward >= relaxed) + start
    calm = np.flatnonzero(_plain_sustained(upward, CLEAR_FACTOR * patience, above=False) < relaxed) + start
    place = known
    while begun or np.searchsorted(opens, place) < len(opens):
        if begun is None:
            place = int(opens[np.searchsorted(opens, place)])
            begun = Episode(place - patience + 1, place, still=True)
        closed = int(np.searchsorted(calm, place))
        end = int(calm[closed]) if closed < len(calm) else len(values)
        inside = restless[: np.searchsorted(restless, end)]
        last = max(begun.last, int(inside[-1])) if len(inside) else begun.last
        found.append(Episode(begun.first, last, still=closed == len(calm)))
        begun, place = None, end
    return tuple(found)


def trend(steps: Steps, values: Values) -> Trend | None:
    """Theil–Sen slope and Mann–Kendall probability, corrected for ties and AR(1) noise; None below 10 finite points.

    Steps are the real ones, so a left-out NaN or Inf keeps the width of its gap. Training metrics are autocorrelated,
    which makes the textbook test see trends in plain noise: its variance is widened by (1 + φ) / (1 − φ). More than
    500 points are judged by 500 means of neighbours, because all pairs of a long run are too many.
    """
    finite = np.isfinite(values)
    x, y = _means_of_neighbours(steps[finite].astype(np.float64)), _means_of_neighbours(values[finite])
    if len(y) < TREND_POINTS:
        return None
    earlier, later = _pairs(len(y))
    differences = y[later] - y[earlier]
    slope = float(np.median(differences / (x[later] - x[earlier])))
    residuals = y - slope * x
    variance = _kendall_variance(y) * _variance_inflation(residuals - residuals.mean(), TREND_PHI)
    score = float(np.sign(differences).sum())
    z = (abs(score) - 1) / math.sqrt(variance) if score and variance > 0 else 0.0
    return Trend(slope, math.erfc(z / math.sqrt(2)))


def _means_of_neighbours(values: Values) -> Values:
    """The values themselves, or as many means of stretches of them as a trend looks at."""
    if len(values) <= MOST_TREND_POINTS:
        return values
    edges = np.linspace(0, len(values), MOST_TREND_POINTS + 1).astype(np.intp)
    return np.asarray(np.add.reduceat(values, edges[:-1]) / np.diff(edges))


def keeps_trend(steps: Steps, values: Values, window: int, patience: int, p: float) -> float:
    """The slope, in units per step, that the last `window` points share with the `window` points `patience` earlier.

    0 unless both have a trend of the same sign that is less probable than `p` by chance.
    """
    now = trend(steps[-window:], values[-window:])
    before = trend(steps[-window - patience : -patience], values[-window - patience : -patience])
    if now is None or before is None or max(now.p, before.p) >= p or now.slope * before.slope <= 0:
        return 0.0
    return now.slope


def _windows(values: Values, window: int) -> Iterator[tuple[slice, Values]]:
    """Sorted windows (C, window), NaN last, in chunks that fit a cache, each with the slice of the points they end at.

    Sorting a window costs less than keeping one sorted: NumPy sorts short rows by vector instructions.
    """
    if len(values) < window:
        return
    windows = np.lib.stride_tricks.sliding_window_view(values, window)
    for start in range(0, len(windows), CHUNK):
        chunk = np.sort(windows[start : start + CHUNK], axis=1)
        yield slice(start + window - 1, start + window - 1 + len(chunk)), chunk


def _with_room(values: Values, window: int) -> Values:
    """The values, ±Inf as NaN, behind window − 1 NaN: so that the first points have a window too."""
    return np.concatenate([np.full(window - 1, np.nan), np.where(np.isfinite(values), values, np.nan)])


def _medians(windows: Values, counts: npt.NDArray[np.int64], least: int) -> Values:
    """(C,) The median of the first `counts` values of each sorted window; NaN for fewer than `least`."""
    rows = np.arange(len(windows))
    middle = np.maximum(counts, 1)
    medians = (windows[rows, (middle - 1) // 2] + windows[rows, middle // 2]) / 2
    return np.where(counts >= least, medians, np.nan)


@lru_cache(maxsize=8)  # windows have a few lengths; finding the pairs costs more than using them
def _pairs(count: int) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """(P,) and (P,): the indices of all P pairs among so many points, the earlier of each and the later."""
    earlier, later = np.triu_indices(count, k=1)
    return earlier, later


def _kendall_variance(values: Values) -> float:
    def term(counts: npt.NDArray[np.int64]) -> float:
        return float((counts * (counts - 1) * (2 * counts + 5)).sum()) / 18

    ties = np.unique(values, return_counts=True)[1]
    return term(np.array([len(values)])) - term(ties)


def _variance_inflation(residuals: Values, most: float) -> float:
    """That of noise around a fitted line, which takes (2 + 4 φ) / N of its autocorrelation (Marriott, Pope 1954)."""
    power, points = float(residuals @ residuals), len(residuals)
    found = float(residuals[1:] @ residuals[:-1]) / power if power > 0 else 0.0
    return inflation((points * found + 2) / (points - 4), most)


def inflation(phi: float, most: float) -> float:
    """How much wider the variance of a mean is than of independent points; `most` bounds the autocorrelation φ."""
    phi = min(max(phi, 0.0), most)
    return (1 + phi) / (1 - phi)
