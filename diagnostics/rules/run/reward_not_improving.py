"""The reward does not go up, although that is the whole point of the run.

What it checks
    The main reward (`objective/rlhf_reward`, GRPO's `reward`) over the last 100 logged points, or 20 % of the planned
    steps where that is more; a run with fewer planned steps is judged at its end. It fires when there is no rising
    trend (Mann–Kendall, corrected for autocorrelation, p < 0.01) and the smoothed reward is not above its start by more
    than chance explains; in fewer than 100 points, where chance hides a small gain, not above its start at all. Where
    the spread from answer to answer is logged, a gain of a fifth of it must be ruled out as well: with a small batch a
    short run may have gained that unnoticed. In fewer than 100 points it is info, unless the reward has fallen by more
    than chance explains: three healthy public runs gained a tenth to a quarter of that spread in 100 steps.

Why it matters
    "If training works as intended, this metric should keep going up."

When it is wrong
    Sparse rewards take off late. A reward near 1 cannot rise further; rewards that stay between 0 and 1 and lie above
    0.95 are not judged. An RLHF reward may also fall because the KL penalty grows while the score rises.

What to try
    Look at what else fired. Try the reward on answers that must score high and low, start from a working example,
    use one reward function first, raise the learning rate if updates are tiny.

References
    TRL logging page: objective/rlhf_reward, reward · TRL PPO page, debugging tip · TRL training FAQ: inspect the
    reward model · Cohen 1988: a fifth of a deviation is a small effect.
"""

import math

from diagnostics.detectors.averages import ewma, finite_points, latest_value, start_level
from diagnostics.detectors.episodes import Episode
from diagnostics.detectors.noise import estimate_noise
from diagnostics.detectors.trend import trend
from diagnostics.model.messages import Value
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.model.series import Series
from diagnostics.rules.cadence import paced, steps_of_point
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rewards import REWARDS, Gain, is_solved, main_reward, spread_of_answers
from diagnostics.rules.rule import Quiet, RuleResult, Skipped, english
from diagnostics.rules.run.run_rule import RunRule, too_few


class Limits(RuleLimits):
    """How long a reward may stay flat, and what counts as a rise."""

    window: int = limit(100, "logged points", "engineering default")
    share_of_plan: float = limit(0.2, "of the planned steps", "engineering default")
    longest_window: int = limit(500, "logged points", "engineering default")
    shortest_run: int = limit(30, "logged points", "engineering default")
    significance: float = limit(0.01, "probability", "engineering default; 2 false trends in 1000 steps of plain noise")
    standard_errors: float = limit(2.0, "standard errors of the mean", "engineering default")
    start: int = limit(20, "logged points", "engineering default")
    certain: float = limit(3.0, "standard errors of the gain", "about one false alarm in 700 runs that are level")
    small: float = limit(0.2, "of the spread from answer to answer", "Cohen 1988: a small effect")
    full_marks: float = limit(0.95, "of the highest reward", "engineering default")


class RewardNotImproving(RunRule[Limits]):
    """Judges the main reward of any algorithm."""

    code = "RV401"
    name = "reward-not-improving"
    grade = "S"
    source = "TRL logging page: this metric should keep going up"
    inputs = (REWARDS,)
    limits = Limits()
    remedies = ("checked-reward", "reweighted-rewards")
    telling_samples = "lowest-scored"
    texts = english(
        headline="The reward is not going up.",
        fired="{title} shows no rise from step {first} to {last}: it is {measured} now and started at {start}; above "
        "{limit} would count as a rise.",
        noisy="The reward is not seen to rise, but its mean is only known to within {error} at this batch size: a gain "
        "of {small} may be hidden in that.",
        noisy_enable="Train longer, or on larger batches.",
    )

    def check(self, run: Run, limits: Limits) -> RuleResult:
        series = main_reward(run)
        limits = paced(limits, run, series, shortest_run=20, start=5)
        window = _window(run, series, limits)
        means, points = ewma(series.values), finite_points(series.values)
        start, reached = start_level(series.values, limits.start), latest_value(means)
        if points < window or math.isnan(reached):
            return too_few(window, points)
        luck = estimate_noise(series.values).of_batches
        told = limits.standard_errors * luck.error_of_mean(window)
        needed = start + (told if window >= limits.window else 0.0)
        recent = slice(len(series) - window, len(series))
        found = trend(series.steps[recent], series.values[recent])
        rises = found is not None and found.slope > 0 and found.p < limits.significance
        if rises or reached > needed or is_solved(run, series.steps[recent], limits.full_marks):
            return Quiet(reached, needed, series.unit, series.name, series.tag)
        gained = Gain(reached - start, luck.error_of_gain(limits.start))
        if (spread := spread_of_answers(run)) and gained.may_be(limits.small * spread, limits.standard_errors):
            values: dict[str, Value] = {"error": gained.error, "small": limits.small * spread}
            return Skipped(self.message("noisy", **values), self.message("noisy_enable"))
        episode = Episode(len(series) - window, len(series) - 1, still=True)
        is_early = window < limits.window and -gained.value <= limits.certain * gained.error
        severity = Severity.INFO if is_early else Severity.WARNING
        return self.fired(series, episode, severity, measured=reached, limit=needed, start=start)


def _window(run: Run, series: Series, limits: Limits) -> int:
    """How many of the latest points are judged, of the steps that are planned."""
    steps = run.status.total or run.settings.value("max_steps")
    if not isinstance(steps, int) or steps <= 0:
        return limits.window
    planned = steps // steps_of_point(run, series)
    if planned < limits.window:
        return max(planned, limits.shortest_run)
    return min(max(limits.window, round(limits.share_of_plan * planned)), limits.longest_window)
