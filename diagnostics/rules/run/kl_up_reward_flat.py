"""The KL to the reference keeps growing, and the reward has stopped paying for it.

What it checks
    Over the last 50 logged points, and equally over the 50 that ended ten points earlier: the KL per token has a rising
    trend (Mann–Kendall, corrected for autocorrelation, p < 0.01) and gains 0.05 nats, while the reward (PPO: the score)
    has none, is not near its highest value, and has not gained a fifth of the spread from answer to answer within
    them, as far as its noise rules that out. It is info; from a KL of 0.2 nats per token on it is a warning. The first
    100 points are not judged.

Why it matters
    The distance to the reference is a budget. It buys less the farther the policy goes, until only the proxy rises, or
    nothing does: drift, noise, or a plateau that only over-optimisation leaves.

When it is wrong
    A reward whose maximum the log does not tell may have reached it. Of 120 simulated healthy runs of 1000 points none
    fires up to an autocorrelation of 0.7 or with heavy tails (t₃); one does at 0.9.

What to try
    Stop at the best evaluation, strengthen the KL penalty, let the learning rate decay.

References
    Gao et al. 2022 (arXiv 2210.10760): reward against the root of the KL · TRL issues 204, 1098.
"""

from dataclasses import replace

import numpy as np

from diagnostics.detectors.averages import finite_points
from diagnostics.detectors.episodes import Episode
from diagnostics.detectors.trend import lasting_slope
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.model.series import Series
from diagnostics.rules.cadence import paced
from diagnostics.rules.lengths import kl_lengths
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rewards import ANY_SCORE, full_marks, may_have_gained, spread_by_batches
from diagnostics.rules.rule import Quiet, RuleResult, Skipped, english
from diagnostics.rules.run.run_rule import RunRule, series_of, too_few


class Limits(RuleLimits):
    """What counts as growth without return."""

    window: int = limit(50, "logged points", "engineering default")
    patience: int = limit(10, "logged points", "engineering default")
    warm_up: int = limit(100, "logged points", "engineering default: sparse rewards take off late")
    significance: float = limit(0.01, "probability", "engineering default; 2 false trends in 1000 steps of plain noise")
    growth: float = limit(0.05, "nats/token over the window", "a quarter of what the FAQ's range allows per token")
    warning: float = limit(0.2, "nats/token", "TRL training FAQ: up to 10 nats, over about 50 tokens")
    full_marks: float = limit(0.95, "of the highest reward", "engineering default")
    small: float = limit(0.2, "of the spread from answer to answer", "Cohen 1988: a small effect")
    standard_errors: float = limit(2.0, "standard errors of the gain", "engineering default")


class KlUpRewardFlat(RunRule[Limits]):
    """Judges the trends of the KL and of the reward together."""

    code = "RV306"
    name = "kl-up-reward-flat"
    grade = "P"
    source = "Gao et al. 2022 (arXiv 2210.10760)"
    inputs = (("kl_per_token", "kl_per_sequence"), ANY_SCORE)
    says_nothing_happens = True
    limits = Limits()
    remedies = ("earlier-checkpoint", "stronger-kl", "lower-learning-rate")
    telling_samples = "top-scored"
    texts = english(
        headline="The policy drifts away from the reference and gains nothing by it.",
        fired="KL to the reference grew by {growth} nats/token from step {first} to {last}, to {reached}, while the "
        "reward did not rise.",
        unknown="The KL is logged per sequence, and neither the length of the answers nor its limit is known.",
        enable="Log the mean length of the answers.",
    )

    def check(self, run: Run, limits: Limits) -> RuleResult:
        logged, reward = kl_lengths(run), series_of(run, *ANY_SCORE)
        if logged is None:
            return Skipped(self.message("unknown"), self.message("enable"))
        series, tokens = logged
        limits = paced(limits, run, series, window=15, patience=5, warm_up=25)
        kl = replace(series, values=series.values / tokens)
        fewest = min(finite_points(kl.values), finite_points(reward.values))
        if fewest < limits.warm_up:
            return too_few(limits.warm_up, fewest)
        growth = _slope(kl, limits) * float(kl.steps[-1] - kl.steps[-limits.window])
        is_paid = _slope(reward, limits) > 0 or _may_have_gained(run, reward, limits)
        if growth < limits.growth or is_paid or _is_high(run, reward, limits):
            return Quiet(growth, limits.growth, "nats/token over the window", kl.name, kl.tag)
        recent = kl.values[-limits.window :]
        reached = float(np.median(recent[np.isfinite(recent)][-limits.patience :]))
        episode = Episode(len(kl) - limits.window - limits.patience, len(kl) - 1, still=True)
        severity = Severity.WARNING if reached >= limits.warning else Severity.INFO
        measured = reached * float(tokens[-1])
        return self.fired(series, episode, severity, measured=measured, limit=None, growth=growth, reached=reached)


def _slope(series: Series, limits: Limits) -> float:
    return lasting_slope(series.steps, series.values, limits.window, limits.patience, limits.significance)


def _may_have_gained(run: Run, reward: Series, limits: Limits) -> bool:
    """Whether a small gain over the window is not ruled out."""
    spread, recent = spread_by_batches(run, reward), reward.values[-limits.window :]
    return bool(spread and may_have_gained(recent, limits.small * spread, limits.standard_errors))


def _is_high(run: Run, reward: Series, limits: Limits) -> bool:
    highest = full_marks(run)
    recent = reward.values[-limits.window :]
    return highest is not None and float(np.nanmedian(recent)) >= limits.full_marks * highest
