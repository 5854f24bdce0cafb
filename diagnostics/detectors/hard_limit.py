"""Hard limits: a value that a series reaches in nearly every point and never passes.

Lengths that a policy chooses scatter. Lengths whose extreme is one number, point after point, are cut by a setting.
"""

from dataclasses import dataclass

import numpy as np

from diagnostics.detectors.arrays import Steps, Values

RECENT = 10  # points that show the present state
SEARCHED = 1000  # points searched for the onset; a setting that changed earlier is no news
REACHED = 0.8  # share of the recent points at the limit: a batch without a value there happens now and then


@dataclass(frozen=True, slots=True)
class HardLimit:
    """The limit, and the step from which it holds; `was_passed`: most points shortly before went beyond it."""

    value: float
    step: int
    was_passed: bool


def find_hard_limit(steps: Steps, values: Values, *, highest: bool = True) -> HardLimit | None:
    """The highest, or lowest, of the latest values, where nearly all of them have it; None where values scatter."""
    sign = 1.0 if highest else -1.0
    steps, values = steps[-2 * SEARCHED :], sign * values[-2 * SEARCHED :]
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
