"""Answers keep growing, and the reward does not.

What it checks
    The mean completion length, as the median of ten logged points, at twice its start for five points (1.5 times within
    the first 50) while neither the main reward nor the score has risen since the start of the growth (Mann–Kendall over
    the last 50 points, p < 0.01), nor, given its noise, may have risen by a fifth of the spread from answer to answer:
    a warning. Answers of four times the length have to show a gain: then it is enough that the reward is no higher.

Why it matters
    Length is the easiest thing to optimise: reward models favour it, and a loss that divides by the length makes long
    wrong answers cheap. Longer answers cost time and memory in every step.

When it is wrong
    In healthy runs reasoning grows with the reward, which is why growth with a rising reward is ignored; but a reward
    that pays for length rises too: see smp-score-length.

What to try
    Take length out of the reward, use a loss that does not divide by the length, raise the KL coefficient.

References
    A Long Way to Go (arXiv 2310.03716): 70 to 90 % of the gain of PPO runs was length · Dr. GRPO (arXiv
    2503.20783) · Cohen 1988: a fifth of a deviation is a small effect.
"""

from dataclasses import replace

import numpy as np

from diagnostics.detectors.averages import finite_median, finite_points, start_level
from diagnostics.detectors.noise import estimate_noise
from diagnostics.detectors.proportions import CERTAIN
from diagnostics.detectors.rolling import rolling_median
from diagnostics.detectors.trend import trend
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.model.series import Series, Values
from diagnostics.rules.cadence import paced
from diagnostics.rules.levels import Level, Reading, read_levels
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rewards import REWARDS, Gain, gain, is_solved, main_reward, spread_of_answers
from diagnostics.rules.rule import Quiet, RuleResult, english
from diagnostics.rules.run.run_rule import RunRule, series_of, too_few


class Limits(RuleLimits):
    """Which growth is too much."""

    times: float = limit(2.0, "× its start", "measured: healthy public runs drifted by × 0.65 to × 1.07")
    far: float = limit(4.0, "× its start", "twice the usual: what costs four times as much should show what it earns")
    early_times: float = limit(1.5, "× its start", "engineering default")
    early: int = limit(50, "logged points", "engineering default")
    window: int = limit(10, "logged points", "engineering default")
    patience: int = limit(5, "logged points", "engineering default")
    start: int = limit(20, "logged points", "engineering default")
    flat: int = limit(50, "logged points", "engineering default")
    significance: float = limit(0.01, "probability", "engineering default")
    full_marks: float = limit(0.95, "of the highest reward", "engineering default")
    small: float = limit(0.2, "of the spread from answer to answer", "Cohen 1988: a small effect")
    standard_errors: float = limit(
        CERTAIN,
        "standard errors of the gain",
        "looked at anew in each step: within two, healthy runs of short answers had a warning of one step",
    )


class LengthExplosion(RunRule[Limits]):
    """Judges the mean length together with the main reward."""

    code = "RV605"
    name = "length-explosion"
    grade = "P"
    source = "Singhal et al. 2023 (arXiv 2310.03716); Dr. GRPO (arXiv 2503.20783)"
    inputs = ("length_mean", REWARDS)
    limits = Limits()
    remedies = (
        "length-neutral-reward",
        "token-loss",
        "stronger-kl",
    )
    telling_samples = "longest"
    texts = english(
        headline="Answers grow and the reward does not.",
        fired="The mean length rose to {measured} tokens at step {peak}, {times} times its start (step {first} to "
        "{last}), and the reward does not rise.",
    )

    def check(self, run: Run, limits: Limits) -> RuleResult:
        series = series_of(run, "length_mean")
        limits = paced(limits, run, series, start=5, early=5, flat=20)
        base = start_level(series.values, limits.start)
        needed = limits.start + limits.patience
        if not base > 0 or finite_points(series.values) < needed:
            return too_few(needed, finite_points(series.values))
        early = np.arange(len(series)) < limits.early
        allowed = np.where(early, limits.early_times * base, limits.times * base)
        growth = rolling_median(series.values, limits.window) / allowed
        level = Level(Severity.WARNING, 1.0, limits.patience)
        reading = read_levels(replace(series, values=growth), (level,), smooth=False, warm_up=limits.start)
        if not isinstance(reading, Reading) or reading.breach is None:
            return self.judged(reading, unit="of the allowed growth")
        is_far = finite_median(series.values[-limits.window :]) >= limits.far * base
        pays = _seems_to_pay(run, limits) if is_far else _may_pay(run, limits)
        if not reading.breach.episode.still or pays or _reward_rises(run, limits):
            unit = "of the allowed growth, while the reward may rise"
            return Quiet(reading.worst, 1.0, unit, series.name, series.tag)
        times = limits.early_times if reading.breach.peak < limits.early else limits.times
        return self.judged_in_unit(series, np.broadcast_to(base, len(series)), reading, limit=times)


def _reward_rises(run: Run, limits: Limits) -> bool:
    """Whether the reward rises, or has reached its maximum."""
    recent = slice(-limits.flat, None)
    if is_solved(run, main_reward(run).steps[recent], limits.full_marks):
        return True
    return any(_rises(reward, recent, limits) for reward in _rewards(run))


def _rises(reward: Series, recent: slice, limits: Limits) -> bool:
    now = start_level(reward.values[recent][::-1], limits.window)
    found = trend(reward.steps, reward.values)
    has_risen = found is not None and found.slope > 0 and found.p < limits.significance
    return has_risen and now > start_level(reward.values, limits.start)


def _may_pay(run: Run, limits: Limits) -> bool:
    """Whether the reward may have gained something: with few answers a step this stays open for a while."""
    spread = spread_of_answers(run)
    if spread is None:
        return False
    gained = [_gained(reward.values, limits) for reward in _rewards(run)]
    return any(one.may_be(limits.small * spread, limits.standard_errors) for one in gained)


def _seems_to_pay(run: Run, limits: Limits) -> bool:
    """Whether the reward is above its start, by chance or not."""
    return any(_gained(reward.values, limits).value > 0 for reward in _rewards(run))


def _gained(values: Values, limits: Limits) -> Gain:
    return Gain(gain(values, limits.start).value, estimate_noise(values).of_batches.error_of_gain(limits.start))


def _rewards(run: Run) -> tuple[Series, ...]:
    """What longer answers may earn: the main reward, and the score, which an RLHF reward may hide."""
    main, score = main_reward(run), run.get("score")
    return (main,) if score is None or score.name == main.name else (main, score)
