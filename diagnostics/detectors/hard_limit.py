"""A hard limit: a value that a series reaches in nearly every point and never passes.

Lengths that a policy chooses scatter. Lengths whose extreme is one number, point after point, are cut by a setting.
"""

from dataclasses import dataclass

import numpy as np

from diagnostics.model.series import Series

RECENT = 10  # points that show the present state
SEARCHED = 1000  # points searched for the onset; a setting that changed earlier is no news
REACHED = 0.8  # share of the recent points at the limit: a batch without a value there happens now and then


@dataclass(frozen=True, slots=True)
class HardLimit:
    """The limit, and the step from which it holds; `was_passed`: most points shortly before went beyond it."""

    value: float
    step: int
    was_passed: bool


def hard_maximum(series: Series | None) -> HardLimit | None:
    """The highest value of the latest points, where nearly all of them have it; None where values scatter."""
    return None if series is None else _hard_limit(series, 1.0)


def hard_minimum(series: Series | None) -> HardLimit | None:
    """The lowest value of the latest points, where nearly all of them have it; None where values scatter."""
    return None if series is None else _hard_limit(series, -1.0)


def _hard_limit(series: Series, sign: float) -> HardLimit | None:
    steps, values = series.steps[-2 * SEARCHED :], sign * series.values[-2 * SEARCHED :]
    finite = np.isfinite(values)
    steps, values = steps[finite][-SEARCHED:], values[finite][-SEARCHED:]
    if len(values) < RECENT:
        return None
    limit = float(values[-RECENT:].max())
    if float(np.mean(values[-RECENT:] == limit)) < REACHED:
        return None
    beyond = np.flatnonzero(values > limit)
    onset = int(beyond[-1]) + 1 if len(beyond) else 0
    earlier = values[max(0, onset - RECENT) : onset]
    was_passed = len(earlier) > 0 and float(np.mean(earlier > limit)) > 1 - REACHED
    return HardLimit(sign * limit, int(steps[onset]), was_passed)
