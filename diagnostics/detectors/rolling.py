"""Rolling windows: medians, minima and robust scores of each point and those before it."""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from diagnostics.detectors.arrays import Values

MEDIAN_WINDOW = 5
MAD_TO_DEVIATION = 1.4826  # of normal noise: its standard deviation over its median absolute deviation
CHUNK = 4096  # windows that are sorted at once


def rolling_median(values: Values, window: int = MEDIAN_WINDOW) -> Values:
    """(N,) The median of each point and the window − 1 before it; NaN where fewer exist or one of them is NaN."""
    medians = np.full(len(values), np.nan)
    for part, windows in _sorted_windows(values, window):
        is_known = ~np.isnan(windows[:, -1])  # sorted: a NaN stands last
        middle = (windows[:, (window - 1) // 2] + windows[:, window // 2]) / 2
        medians[part] = np.where(is_known, middle, np.nan)
    return medians


def rolling_mean(values: Values, window: int) -> Values:
    """(N,) The mean of each point and the window − 1 before it; NaN where fewer exist or one of them is not finite."""
    means = np.full(len(values), np.nan)
    if len(values) >= window:
        finite = np.where(np.isfinite(values), values, np.nan)
        means[window - 1 :] = np.lib.stride_tricks.sliding_window_view(finite, window).mean(axis=1)
    return means


def rolling_minimum(values: Values, window: int) -> Values:
    """(N,) The lowest known value of each point and the window − 1 before it; NaN where none is known."""
    padded = np.concatenate([np.full(window, np.inf), np.where(np.isnan(values), np.inf, values)])
    lowest = np.lib.stride_tricks.sliding_window_view(padded, window)[1:].min(axis=1)
    return np.where(np.isinf(lowest), np.nan, lowest)


def baseline(values: Values, window: int, shift: int, least: int) -> Values:
    """(N,) The median of up to `window` finite points ending `shift` points earlier; NaN for fewer than `least`."""
    medians = np.full(len(values), np.nan)
    if len(values) <= shift:
        return medians
    earlier = _padded_with_nan(values[: len(values) - shift], window)
    for part, windows in _sorted_windows(earlier, window):
        counts = np.isfinite(windows).sum(axis=1)
        medians[part.start - window + 1 + shift : part.stop - window + 1 + shift] = _medians(windows, counts, least)
    return medians


def points_before_baseline(shift: int, least: int, *, smooth: bool = True) -> int:
    """How many first points of a series without gaps have no `baseline`, or no median of five compared with one."""
    return shift + least - 1 + (MEDIAN_WINDOW - 1 if smooth else 0)


def times_own_past(values: Values, window: int, shift: int, least: int, smallest: float) -> tuple[Values, Values]:
    """(N,) Each value over its `baseline`, and (N,) that baseline.

    The baseline is taken to be at least `smallest`, because one of 0 would make any value infinitely high.
    """
    base = np.maximum(baseline(values, window, shift, least), smallest)
    return values / base, base


def robust_z(values: Values, window: int, least: int, floor: float) -> Values:
    """(N,) How many robust deviations each point lies above the median of the up to `window` finite points before it.

    The deviation is 1.4826 times the median absolute deviation of those points, and at least `floor` (in the values'
    own unit): rounded or constant metrics have a deviation of 0, which would make any change infinitely far. NaN for
    fewer than `least` points.
    """
    scores = np.full(len(values), np.nan)
    if len(values) < 2:
        return scores
    for part, windows in _sorted_windows(_padded_with_nan(values[:-1], window), window):
        counts = np.isfinite(windows).sum(axis=1)
        medians = _medians(windows, counts, least)
        spreads = _medians(np.sort(np.abs(windows - medians[:, None]), axis=1), counts, least)
        judged = slice(part.start - window + 2, part.stop - window + 2)
        scores[judged] = (values[judged] - medians) / np.maximum(MAD_TO_DEVIATION * spreads, floor)
    return scores


def sustained_level(values: Values, points: int, *, above: bool = True) -> Values:
    """(N,) What a value kept up for `points` points in a row: their minimum, or maximum where low is bad.

    A limit is held for `points` points exactly where this number reaches it. NaN where a point is NaN or missing.
    """
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


def reached_by(values: Values, points: int, of: int) -> Values:
    """(N,) What at least `points` of the last `of` points reached: their `points`-th largest value.

    A limit is reached by n of m points exactly where this number reaches it. NaN where a point is NaN or missing.
    """
    reached = np.full(len(values), np.nan)
    for part, windows in _sorted_windows(values, of):
        reached[part] = np.where(np.isnan(windows[:, -1]), np.nan, windows[:, of - points])
    return reached


def without_warm_up(values: Values, warm_up: int) -> Values:
    """(N,) The values with NaN for the first `warm_up`."""
    return np.where(np.arange(len(values)) < warm_up, np.nan, values)


def _sorted_windows(values: Values, window: int) -> Iterator[tuple[slice, Values]]:
    """Sorted windows (C, window), NaN last, in chunks that fit a cache, each with the slice of the points they end at.

    Sorting a window costs less than keeping one sorted: NumPy sorts short rows by vector instructions.
    """
    if len(values) < window:
        return
    windows = np.lib.stride_tricks.sliding_window_view(values, window)
    for start in range(0, len(windows), CHUNK):
        chunk = np.sort(windows[start : start + CHUNK], axis=1)
        yield slice(start + window - 1, start + window - 1 + len(chunk)), chunk


def _padded_with_nan(values: Values, window: int) -> Values:
    """The values, ±Inf as NaN, after window − 1 NaN, so that the first points have a window too."""
    return np.concatenate([np.full(window - 1, np.nan), np.where(np.isfinite(values), values, np.nan)])


def _medians(windows: Values, counts: npt.NDArray[np.int64], least: int) -> Values:
    """(C,) The median of the first `counts` values of each sorted window; NaN for fewer than `least`."""
    rows = np.arange(len(windows))
    middle = np.maximum(counts, 1)
    medians = (windows[rows, (middle - 1) // 2] + windows[rows, middle // 2]) / 2
    return np.where(counts >= least, medians, np.nan)
