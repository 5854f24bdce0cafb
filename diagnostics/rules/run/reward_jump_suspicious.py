"""The reward jumped within a few steps, and the answers changed their length with it: too good to be true.

What it checks
    The reward, as the median of five logged points, against its median of 20 points ending ten earlier: a rise by half
    of what was left to the highest reward, by at least 0.3 of that reward, and by six deviations. Within the same
    points the mean length must have grown or shrunk by half. It is a warning; the first 40 points are not judged.

Why it matters
    Real progress is gradual; a loophole is found suddenly and spreads within a few updates. In one public run a judge
    was fooled from 5 % to 95 % within some ten steps, with 7 % of the answers right.

When it is wrong
    A model that discovers a useful way of working (a scratchpad, a required format) jumps too: only the samples can
    tell. Of 120 simulated healthy runs of 1000 points none fires up to an autocorrelation of 0.95.

What to try
    Read the samples with the highest scores before training on. Check them against a second grader.

References
    A public report of a hacked judge (5 % to 95 % around step 400) · Qwen3-4B learning to fake run_tests() within 80
    to 100 steps.
"""

from dataclasses import replace

import numpy as np

from diagnostics.detectors.noise import estimate_noise
from diagnostics.detectors.rolling import baseline, rolling_median
from diagnostics.model.alignment import last_known
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.model.series import Series, Values
from diagnostics.rules.levels import Level, Reading, TooFew, read_levels
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rewards import SCORES, full_marks
from diagnostics.rules.rule import RuleResult, Skipped, english
from diagnostics.rules.run.run_rule import RunRule, series_of


class Limits(RuleLimits):
    """Which jump is too good."""

    of_the_rest: float = limit(0.5, "of what is left to the highest reward", "engineering default")
    least: float = limit(
        0.3, "of the highest reward", "engineering default: near full marks little is half of the rest"
    )
    deviations: float = limit(6.0, "deviations of the reward", "simulated: no false alarm in 1000 points of noise")
    length: float = limit(1.5, "× longer or shorter", "engineering default")
    patience: int = limit(3, "logged points", "engineering default")
    window: int = limit(20, "logged points", "engineering default")
    shift: int = limit(10, "logged points", "engineering default: real progress takes longer")
    warm_up: int = limit(40, "logged points", "a model that could do it all along learns to at the start")


class RewardJumpSuspicious(RunRule[Limits]):
    """Judges the reward and the length of the answers together."""

    code = "RV414"
    name = "reward-jump-suspicious"
    grade = "I"
    source = "public reports of hacked judges and tests"
    inputs = (SCORES, "length_mean")
    limits = Limits()
    remedies = ("checked-reward", "earlier-checkpoint")
    telling_samples = "top-scored"
    texts = english(
        headline="The reward jumped while the answers changed: an exploit may have been found.",
        fired="The reward rose from {before} to {measured} within a few points at step {peak}, while the mean length "
        "went from {shorter} to {longer} tokens.",
        unbounded="The rewards do not stay within 0 and 1, so what is left to gain is not known.",
        enable="Scale the rewards to 0 to 1.",
    )

    def check(self, run: Run, limits: Limits) -> RuleResult:
        reward, highest = series_of(run, *SCORES), full_marks(run)
        if not highest:
            return Skipped(self.message("unbounded"), self.message("enable"), applies=False)
        before = baseline(reward.values, limits.window, limits.shift, limits.window // 2)
        bar = np.maximum(limits.of_the_rest * (highest - before), limits.least * highest)
        lengths = last_known(series_of(run, "length_mean"), reward.steps)
        usual = baseline(lengths, limits.window, limits.shift, limits.window // 2)
        smooth = rolling_median(reward.values), rolling_median(lengths)
        reading = _read(reward, _jump(*smooth, before, usual, bar, limits.length), limits)
        if isinstance(reading, Reading) and reading.breach:
            noise = estimate_noise(reward.values[: reading.breach.episode.first])  # as it was before the jump
            bar = np.maximum(bar, limits.deviations * noise.deviation)
            reading = _read(reward, _jump(*smooth, before, usual, bar, limits.length), limits)
        if not isinstance(reading, Reading) or reading.breach is None:
            return self.judged(reading, unit="of a suspicious jump")
        peak = reading.breach.peak
        return self.fired_by(
            reward,
            reading,
            measured=float(reward.values[peak]),
            limit=float(before[peak] + bar[peak]),
            peak=int(reward.steps[peak]),
            before=float(before[peak]),
            shorter=float(usual[peak]),
            longer=float(lengths[peak]),
        )


def _read(reward: Series, jump: Values, limits: Limits) -> Reading | TooFew:
    level = Level(Severity.WARNING, 1.0, limits.patience)
    return read_levels(replace(reward, values=jump), (level,), smooth=False, warm_up=limits.warm_up)


def _jump(reward: Values, length: Values, before: Values, usual: Values, bar: Values, factor: float) -> Values:
    """(N,) The rise of the reward over its bar, at most 0 where the length did not change by the factor."""
    changed = (length >= factor * usual) | (factor * length <= usual)
    rise = (reward - before) / bar
    return np.where(changed, rise, np.fmin(rise, 0.0))
