"""The reward stopped rising when the learning rate was used up.

What it checks
    The learning rate is below a tenth of its peak for 30 or more logged points, in which the main reward rises per step
    by less than a quarter of what it did before (Theil–Sen), by a difference that chance does not explain: info.

Why it matters
    A flat reward is no fault where the learning rate is used up: the schedule has ended, not the model's ability to
    learn.

When it is wrong
    The run may have learned all there is to learn.

What to try
    Plan more steps, or a schedule that decays later, and continue from the last checkpoint.

References
    Engineering default; the learning rate scales every update.
"""

import math

import numpy as np

from diagnostics.detectors.averages import start_level
from diagnostics.detectors.episodes import Episode
from diagnostics.detectors.extremes import finite_range
from diagnostics.detectors.noise import estimate_noise
from diagnostics.detectors.trend import trend
from diagnostics.model.alignment import last_known
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.model.series import Series, Steps, Values
from diagnostics.rules.cadence import paced
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rewards import REWARDS, is_solved, main_reward
from diagnostics.rules.rule import Quiet, RuleResult, english
from diagnostics.rules.run.run_rule import RunRule, series_of, too_few


class Limits(RuleLimits):
    """When a schedule explains a plateau."""

    share: float = limit(0.1, "of its peak", "engineering default")
    window: int = limit(30, "logged points", "engineering default")
    significance: float = limit(0.01, "probability", "engineering default")
    left: float = limit(0.25, "of the rise per step before", "engineering default")
    standard_errors: float = limit(3.0, "standard errors of the slope", "a shorter stretch of noise hides any rise")
    full_marks: float = limit(0.95, "of the highest reward", "engineering default")


class LrDecayedPlateau(RunRule[Limits]):
    """Judges the main reward where the learning rate is used up."""

    code = "RV901"
    name = "lr-decayed-plateau"
    grade = "F"
    source = "a learning rate near 0 makes no updates; engineering default"
    inputs = ("learning_rate", REWARDS)
    limits = Limits()
    remedies = ("later-decay",)
    texts = english(
        headline="The reward stopped rising when the learning rate was used up.",
        fired="{title} has stood at {measured} since step {first}, when the learning rate fell below {percent} % of "
        "its peak; it is {rate} now.",
    )

    def check(self, run: Run, limits: Limits) -> RuleResult:
        reward, rate = main_reward(run), series_of(run, "learning_rate")
        limits = paced(limits, run, reward, window=10)
        peak = float(np.fmax(finite_range(rate.values)[1], 0.0))
        now = last_known(rate, reward.steps)
        start = _start_of_low(now, limits.share * peak)
        if len(reward) < 2 * limits.window:
            return too_few(2 * limits.window, len(reward))
        low = len(reward) - start
        has_room = (
            low >= limits.window
            and start >= limits.window
            and not is_solved(run, reward.steps[start:], limits.full_marks)
        )
        if not has_room or not self._has_stopped(reward, start, limits):
            left = float(now[-1]) / peak if peak > 0 else 1.0
            return Quiet(left, limits.share, "of its peak", rate.name, rate.tag)
        episode = Episode(start, len(reward) - 1, still=True)
        level = start_level(reward.values[start:], len(reward))
        rate_now, percent = float(now[-1]), 100 * limits.share
        return self.fired(reward, episode, Severity.INFO, measured=level, limit=None, rate=rate_now, percent=percent)

    def _has_stopped(self, reward: Series, start: int, limits: Limits) -> bool:
        """Whether the reward rose before the index and clearly less after it."""
        before = trend(reward.steps[:start], reward.values[:start])
        behind = trend(reward.steps[start:], reward.values[start:])
        if before is None or behind is None:
            return False
        rose = before.slope > 0 and before.p < limits.significance
        drop = before.slope - behind.slope
        error = _error_of_slope(reward.steps[start:], estimate_noise(reward.values).long_run_deviation)
        return rose and behind.slope <= limits.left * before.slope and drop >= limits.standard_errors * error


def _start_of_low(rates: Values, bar: float) -> int:
    """The index from which on all rates lie below the bar."""
    high = np.flatnonzero(~(rates < bar))
    return int(high[-1]) + 1 if len(high) else 0


def _error_of_slope(steps: Steps, deviation: float) -> float:
    """The standard error of the slope of a line through N points of that deviation, per step."""
    return deviation / (float(np.std(steps)) * math.sqrt(len(steps)))
