"""The total reward rises, but one reward function does not: the model struggles with that part.

What it checks
    With two or more reward functions, over the last 50 logged points: the total reward has a rising trend
    (Mann–Kendall, corrected for autocorrelation, p < 0.01), and a function's mean has none. Functions at 0.9 of a full
    1.0 and constant ones (`reward-func-constant`) are not judged.

Why it matters
    A total hides its parts. The model may be learning the format instead of the task.

When it is wrong
    A part that is meant to stay level, such as a penalty that never applies, looks the same.

What to try
    Give that function more weight, easier prompts for it, or train on it alone first.

References
    TRL logging page, crucial GRPO values: rewards/{reward_func_name}/mean · TRL training FAQ: start simple.
"""

import numpy as np

from diagnostics.detectors.averages import finite_points
from diagnostics.detectors.episodes import Episode
from diagnostics.detectors.trend import trend
from diagnostics.model.algorithms import GROUP_FAMILY
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.model.series import Series
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rewards import is_at_full_marks
from diagnostics.rules.rule import Fired, Quiet, RuleResult, english
from diagnostics.rules.run.run_rule import RunRule, series_of, too_few


class Limits(RuleLimits):
    """What counts as a trend, over how many points."""

    window: int = limit(50, "logged points", "engineering default")
    significance: float = limit(0.01, "probability", "engineering default; 2 false trends in 1000 steps of plain noise")
    full_marks: float = limit(0.9, "of the highest reward", "engineering default")


class RewardFuncStagnant(RunRule[Limits]):
    """Judges the mean of every reward function against the total."""

    code = "RV403"
    name = "reward-func-stagnant"
    grade = "S"
    source = "TRL logging page: rewards/{reward_func_name}/mean"
    algorithms = GROUP_FAMILY
    inputs = ("reward", "reward_func_mean")
    limits = Limits()
    remedies = ("reweighted-rewards", "checked-reward")
    texts = english(
        headline="The model does not improve on the reward function {function}.",
        fired="The total reward rose from step {first} to {last}, but reward function {function} stayed at {measured}.",
    )

    def applies(self, run: Run) -> bool:
        """With a single reward function the total is that function."""
        return super().applies(run) and len(run.by_reward_function("reward_func_mean")) != 1

    def check(self, run: Run, limits: Limits) -> RuleResult:
        total = series_of(run, "reward")
        if finite_points(total.values) < limits.window:
            return too_few(limits.window, int(total.finite.sum()))
        functions = run.by_reward_function("reward_func_mean")
        behind = [
            name for name, series in functions.items() if _is_open(series, limits) and not _is_rising(series, limits)
        ]
        if not behind or not _is_rising(total, limits):
            return Quiet(float(len(behind) if _is_rising(total, limits) else 0), 1.0, "reward functions")
        return self._fired(behind[0], functions[behind[0]], limits)

    def _fired(self, name: str, series: Series, limits: Limits) -> Fired:
        episode = Episode(max(0, len(series) - limits.window), len(series) - 1, still=True)
        recent = series.values[episode.first :]
        level = float(np.median(recent[np.isfinite(recent)]))
        return self.fired(series, episode, Severity.INFO, measured=level, limit=None, function=name)


def _is_rising(series: Series, limits: Limits) -> bool:
    found = trend(series.steps[-limits.window :], series.values[-limits.window :])
    return found is not None and found.slope > 0 and found.p < limits.significance


def _is_open(series: Series, limits: Limits) -> bool:
    """Whether the function varies, and has room to rise."""
    recent = series.values[-limits.window :]
    finite = recent[np.isfinite(recent)]
    return len(finite) > 0 and bool(np.ptp(finite) > 0) and not is_at_full_marks(recent, limits.full_marks)
