"""The metric that a run is meant to raise, and when it may count as raised as far as it goes."""

import numpy as np

from diagnostics.metrics import MAIN_REWARD
from diagnostics.run import Run, Series, Values

REWARDS = ("reward", "rlhf_reward", "score")
FULL_MARKS = 1.0  # most graders give 0 to 1; a reward that never left this range is taken to end at 1


def main_reward(run: Run) -> Series:
    """The series that should keep going up. Raises LookupError where the run logs none of them."""
    series = run.get(*MAIN_REWARD.get(run.algorithm, REWARDS)) or run.get(*REWARDS)
    if series is None:
        raise LookupError(f"the run logs none of {', '.join(REWARDS)}")
    return series


def is_at_full_marks(values: Values, share: float) -> bool:
    """Whether rewards that stay within 0 and 1 lie, by their median, at `share` of 1 or above."""
    finite = values[np.isfinite(values)]
    if not len(finite) or finite.min() < 0 or finite.max() > FULL_MARKS:
        return False
    return bool(np.median(finite) >= share * FULL_MARKS)
