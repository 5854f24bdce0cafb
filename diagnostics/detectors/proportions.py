"""What a few draws prove about a proportion, a mean or a correlation: the least that it may be in truth."""

import math
from collections.abc import Sequence

import numpy as np

from diagnostics.detectors.growing import looks_back, pointwise
from diagnostics.detectors.levels import Breach, Level, Reading, TooFew
from diagnostics.detectors.rolling import MEDIAN_WINDOW, Episode, episodes, finite_points, rolling_median, sustained
from diagnostics.detectors.running import after, farthest
from diagnostics.model.series import Series, Values

CERTAIN = 3.0
"""Standard errors that count as proof: about one false alarm in 700 looks at a share that lies just at its limit."""

LEAST_PAIRS = 1.5
"""The z of an intraclass correlation of k pairs varies by 1 / (k - 1.5)."""
LARGEST_CORRELATION = 1 - 1e-12


def least_share(hits: int, rows: int, standard_errors: float = CERTAIN) -> float:
    """The lower bound of Wilson's interval (1927) for a proportion, so many standard errors wide; 0 of no rows."""
    if rows == 0:
        return 0.0
    share, more = hits / rows, standard_errors**2 / rows
    spread = standard_errors * math.sqrt(share * (1 - share) / rows + more / (4 * rows))
    return max(0.0, (share + more / 2 - spread) / (1 + more))


def least_correlation(found: float, pairs: int, standard_errors: float = CERTAIN) -> float:
    """The lower bound of an intraclass correlation of so many pairs, by Fisher's z (1925); 0 of too few pairs."""
    if pairs <= LEAST_PAIRS or found <= 0:
        return 0.0
    z = math.atanh(min(found, LARGEST_CORRELATION)) - standard_errors / math.sqrt(pairs - LEAST_PAIRS)
    return max(0.0, math.tanh(z))


@looks_back(lambda window, standard_errors=CERTAIN: window - 1)
def least_mean(values: Values, window: int, standard_errors: float = CERTAIN) -> Values:
    """(N,) The mean of each point and the window − 1 before it, less so many of its standard errors.

    The error is told by the spread of those points themselves, so that nobody need know how many rows are behind one.
    NaN where fewer points exist or one of them is not finite.
    """
    least = np.full(len(values), np.nan)
    if len(values) < window:
        return least
    windows = np.lib.stride_tricks.sliding_window_view(np.where(np.isfinite(values), values, np.nan), window)
    error = windows.std(axis=1, ddof=1) / math.sqrt(window)
    least[window - 1 :] = np.round(windows.mean(axis=1) - standard_errors * error, 12)  # equal points prove their value
    return least


def read_proven(
    series: Series,
    levels: Sequence[Level],
    *,
    warm_up: int = 0,
    window: int = MEDIAN_WINDOW,
    standard_errors: float = CERTAIN,
) -> Reading | TooFew:
    """Judge noisy numbers, such as shares of a few rows each, against levels of one patience, mildest first.

    As `read_levels` does, by the median of five points for the patience; but as many points (`window` at least) must
    also prove the level together: their mean lies above it by so many of its standard errors. What wavers about a
    limit, as a share of a few groups or answers does, has not passed it.
    """
    patience = max(level.patience for level in levels)
    window = max(patience, window)
    kept = sustained(after(rolling_median(series.values), warm_up), patience)
    least = least_mean(series.values, window, standard_errors)
    lately = sustained(least, MEDIAN_WINDOW, above=False)  # the median lags behind by so many points
    proven = pointwise(np.minimum, kept, lately)
    worst = farthest(proven)
    if math.isnan(worst):
        return TooFew(max(warm_up, MEDIAN_WINDOW - 1) + patience, finite_points(series.values))
    reached = [level for level in levels if worst >= level.limit]
    breach = _breach(series, proven, reached[-1], window) if reached else None
    return Reading(series, breach, worst, reached[-1].limit if reached else levels[0].limit)


def _breach(series: Series, proven: Values, level: Level, window: int) -> Breach:
    """The breach of a level that was reached, from the first point past the limit in the window that proved it."""
    episode = max(episodes(proven, level.limit, 1), key=lambda found: (found.still, found.length))
    start = max(0, episode.first - window - MEDIAN_WINDOW + 2)
    past = np.flatnonzero(series.values[start : episode.last + 1] >= level.limit) + start
    inside = series.values[past[0] : past[-1] + 1]
    return Breach(level, Episode(int(past[0]), int(past[-1]), episode.still), int(past[0] + np.nanargmax(inside)))
