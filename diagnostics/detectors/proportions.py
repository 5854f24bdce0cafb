"""Lower confidence bounds: the least that a proportion, a mean or a correlation may be, given a few draws."""

import math

import numpy as np

from diagnostics.detectors.arrays import Values

CERTAIN = 3.0
"""Standard errors that count as proof: about one false alarm in 700 checks of a share exactly at its limit."""

LEAST_PAIRS = 1.5
"""The z of an intraclass correlation of k pairs varies by 1 / (k - 1.5)."""
LARGEST_CORRELATION = 1 - 1e-12
ROUNDING = 1e-12
"""Of logarithms, so that equal points prove their own value."""


def lower_bound_of_share(hits: int, rows: int, standard_errors: float = CERTAIN) -> float:
    """The lower bound of Wilson's interval (1927) for a proportion, this many standard errors wide; 0 of no rows."""
    if rows == 0:
        return 0.0
    share, more = hits / rows, standard_errors**2 / rows
    spread = standard_errors * math.sqrt(share * (1 - share) / rows + more / (4 * rows))
    return max(0.0, (share + more / 2 - spread) / (1 + more))


def lower_bound_of_correlation(found: float, pairs: int, standard_errors: float = CERTAIN) -> float:
    """The lower bound of an intraclass correlation found in this many pairs, by Fisher's z (1925); 0 of too few."""
    if pairs <= LEAST_PAIRS or found <= 0:
        return 0.0
    z = math.atanh(min(found, LARGEST_CORRELATION)) - standard_errors / math.sqrt(pairs - LEAST_PAIRS)
    return max(0.0, math.tanh(z))


def lower_bound_of_mean(values: Values, window: int, standard_errors: float = CERTAIN) -> Values:
    """(N,) The mean of each point and the window − 1 before it, less this many of its standard errors.

    The error is estimated from the spread of those points, so the number of rows behind each need not be known. NaN
    where fewer points exist or one of them is not finite.
    """
    least = np.full(len(values), np.nan)
    if len(values) < window:
        return least
    windows = np.lib.stride_tricks.sliding_window_view(np.where(np.isfinite(values), values, np.nan), window)
    error = windows.std(axis=1, ddof=1) / math.sqrt(window)
    least[window - 1 :] = np.round(windows.mean(axis=1) - standard_errors * error, 12)  # equal points prove their value
    return least


def lower_bound_of_geometric_mean(
    values: Values, window: int, smallest: float, standard_errors: float = CERTAIN
) -> Values:
    """(N,) The same of the geometric mean, by the errors of its logarithm; what is below `smallest` (> 0) counts as it.

    For what scatters by factors, as means of a heavy-tailed estimate do: one point may be a hundred times the next.
    """
    bound = lower_bound_of_mean(np.log(np.maximum(values, smallest)), window, standard_errors)
    return np.asarray(np.exp(bound + ROUNDING))
