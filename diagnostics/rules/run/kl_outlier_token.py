"""The KL jumped for a step or two and came back: a single token with a tiny probability, not a departure.

What it checks
    Single points of GRPO's `kl` that reach 1 nat per token and 20 times the median of the 50 points before, for two
    logged points at most. They are info.

Why it matters
    The k3 estimator contains exp(reference − policy): one token that the policy finds far less likely than the
    reference can make it arbitrarily large, and with a large beta its gradient too.

When it is wrong
    The first two points of a real departure look the same; from the third on `kl-too-high` and `kl-runaway` take over.

What to try
    Nothing where beta is small. Otherwise clip the log-ratio, or take the KL out of the loss.

References
    torchforge issue 664 (a mean of 1.6 million) · OpenRLHF issue 931 · rlhf-book issue 489.
"""

import math
from dataclasses import replace

import numpy as np

from diagnostics.detectors.averages import finite_points
from diagnostics.detectors.episodes import Episode, episodes
from diagnostics.detectors.extremes import extreme
from diagnostics.detectors.rolling import times_own_past
from diagnostics.model.algorithms import GROUP_FAMILY
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.model.series import Values
from diagnostics.rules.breaches import Breach, Level, breaches_of_points
from diagnostics.rules.levels import Reading
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import RuleResult, english
from diagnostics.rules.run.run_rule import RunRule, series_of, too_few


class Limits(RuleLimits):
    """What counts as an outlier."""

    least: float = limit(1.0, "nats/token", "the critical level of kl-too-high")
    times: float = limit(20.0, "× its own median", "engineering default")
    longest: int = limit(2, "logged points", "three points are what kl-too-high waits for")
    window: int = limit(50, "logged points", "engineering default")
    fewest: int = limit(10, "logged points", "engineering default")
    smallest: float = limit(1e-6, "nats/token", "a KL of 0 would make any later one infinitely high")


class KlOutlierToken(RunRule[Limits]):
    """Judges GRPO's `kl` point by point."""

    code = "RV308"
    name = "kl-outlier-token"
    grade = "I"
    source = "torchforge issue 664; OpenRLHF issue 931; rlhf-book issue 489"
    algorithms = GROUP_FAMILY
    inputs = ("kl_per_token",)
    limits = Limits()
    remedies = ("clipped-gradient",)
    texts = english(
        headline="The KL jumped for a moment: one token of tiny probability.",
        fired="KL to the reference was {measured} at step {peak}, {compared} the median of the points before, and "
        "back at step {last}.",
        fired_once="KL to the reference was {measured} at step {first}, {compared} the median of the points before.",
    )

    def check(self, run: Run, limits: Limits) -> RuleResult:
        series = series_of(run, "kl_per_token")
        times, base = times_own_past(series.values, limits.window, 1, limits.fewest, limits.smallest)
        if math.isnan(extreme(times)):
            return too_few(limits.fewest + 1, finite_points(series.values))
        outlying = _outlier_size(series.values, times, limits.least)
        worst = extreme(outlying)
        breaches = _short_outliers(outlying, limits)
        worst = 0.0 if math.isnan(worst) else worst
        reading = Reading(replace(series, values=outlying), breaches, worst, limits.times)
        return self.judged_in_unit(series, base, reading, smallest=limits.smallest)


def _outlier_size(kl: Values, times: Values, least: float) -> Values:
    """(N,) How far each large point stands out; NaN where the KL is not finite."""
    return np.where(np.isfinite(kl), np.where(kl >= least, times, np.fmin(times, 0.0)), np.nan)


def _short_outliers(outlying: Values, limits: Limits) -> tuple[Breach, ...]:
    """The outliers that came back within the longest time allowed."""
    short = [episode for episode in episodes(outlying, limits.times, 1) if _came_back(episode, limits)]
    return breaches_of_points(outlying, Level(Severity.INFO, limits.times, 1), short)


def _came_back(episode: Episode, limits: Limits) -> bool:
    return not episode.still and episode.length <= limits.longest
