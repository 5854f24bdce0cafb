"""Most groups give every answer the same reward, so most of the batch teaches nothing.

What it checks
    The share of groups without a difference (`frac_reward_zero_std`), as the median of five logged points: 0.4 for ten
    steps is info, half for thirty is a warning, as a sparse reward takes some steps to rise (for ten, where answers are
    drawn as told below). Their mean must exceed that by three of its standard errors, because with a handful of groups
    in a step half may agree by chance. Nearly all of them (98 %) for ten steps is critical where the run began like
    that and earns less than half of the highest reward. It is info where the reward is near its highest value, because
    groups then agree in being right, and where the reward rises regardless. Neither exception holds where answers are
    drawn at a temperature below 0.3, at which they agree whether right or wrong; where no temperature is known, nor
    where half of the groups agreed from the start, at an entropy below 0.03 nats per token, before most answers were
    right. The first five steps are not judged.

Why it matters
    GRPO learns from differences within a group. Only the other groups count, and the gradient is as noisy as that of
    such a small batch.

When it is wrong
    The metric is not per group, and the rule is skipped, where advantages are scaled over the batch, where each
    function is normalised on its own (GDPO), and in RLOO with a KL penalty. Equal rewards that differ by rounding
    count as different, so the true share may be higher.

What to try
    Keep prompts that are solved in 20 to 80 % of cases, generate more answers per prompt, sample at temperature 1.0,
    give partial credit.

References
    TRL GRPO page: frac_reward_zero_std · DAPO (arXiv 2503.14476) · ScaleRL (arXiv 2510.13786), zero-variance
    filtering.
"""

import math
from dataclasses import replace

from diagnostics.detectors.averages import finite_median, start_level
from diagnostics.detectors.greedy import starts_near_greedy
from diagnostics.model.algorithms import GROUP_FAMILY
from diagnostics.model.alignment import values_between
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.model.series import Series
from diagnostics.rules.breaches import Breach, Level, leading
from diagnostics.rules.cadence import paced
from diagnostics.rules.levels import Reading, read_proven_levels
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.missing_metrics import why_not_per_group
from diagnostics.rules.rewards import full_marks, has_risen
from diagnostics.rules.rule import Fired, RuleResult, english
from diagnostics.rules.run.run_rule import RunRule, series_of


class Limits(RuleLimits):
    """Which share of silent groups is too much."""

    info: float = limit(0.4, "fraction", "engineering default: healthy trainings of TRL stay at 0.25")
    warning: float = limit(0.5, "fraction", "engineering default: half of the batch is lost")
    critical: float = limit(
        0.98, "fraction", "measured on trainings of TRL: of a sparse reward, healthy ones began with 94 % and learned"
    )
    patience: int = limit(10, "logged points", "engineering default")
    lasting: int = limit(30, "logged points", "healthy trainings of a sparse reward rise that soon; for the warning")
    warm_up: int = limit(5, "logged points", "engineering default")
    early: int = limit(20, "logged points", "engineering default: what begins later was brought about")
    low: float = limit(0.5, "of the highest reward", "engineering default")
    near: float = limit(0.8, "of the highest reward", "rlhf-book: above 80 % most silent groups are solved ones")


class ZeroVarianceGroups(RunRule[Limits]):
    """Judges `frac_reward_zero_std`."""

    code = "RV408"
    name = "zero-variance-groups"
    grade = "D"
    source = "TRL GRPO page: frac_reward_zero_std; DAPO (arXiv 2503.14476)"
    algorithms = GROUP_FAMILY
    inputs = ("zero_std_fraction",)
    limits = Limits()
    remedies = ("mixed-prompts", "more-generations", "true-temperature")
    telling_samples = "equal-groups"
    texts = english(
        headline="Most groups give every answer the same reward: they teach nothing.",
        fired="Up to {percent} % of the groups had no difference in reward (step {peak}); {limit_percent} % or "
        "more{mostly} from step {first} to {last}.",
        right="Up to {percent} % of the groups had no difference in reward (step {peak}), because nearly all answers "
        "are right; {limit_percent} % or more{mostly} from step {first} to {last}.",
    )

    def check(self, run: Run, limits: Limits) -> RuleResult:
        reason = why_not_per_group(run)
        if reason:
            return reason
        series = series_of(run, "zero_std_fraction")
        limits = paced(limits, run, series, patience=5, lasting=10, warm_up=1, early=4)
        info = Level(Severity.INFO, limits.info, limits.patience)
        warning = Level(Severity.WARNING, limits.warning, limits.patience)
        critical = Level(Severity.CRITICAL, limits.critical, limits.patience)
        reading = read_proven_levels(series, (info, warning, critical), warm_up=limits.warm_up)
        if (
            isinstance(reading, Reading)
            and reading.severity is Severity.CRITICAL
            and not _began_so(run, reading, limits)
        ):
            reading = read_proven_levels(series, (info, warning), warm_up=limits.warm_up)
        is_greedy = _samples_near_greedily(run, limits)
        may_pass = isinstance(reading, Reading) and reading.severity is Severity.WARNING and not is_greedy
        if may_pass and not _lasts(series, limits):
            reading = read_proven_levels(series, (info,), warm_up=limits.warm_up)
        if not isinstance(reading, Reading) or reading.breach is None:
            return self.judged(reading)
        is_near = _share_of_marks(run, series, reading.breach) >= limits.near
        is_right = is_near and not is_greedy
        percent, limit_percent = 100 * float(series.values[reading.breach.peak]), 100 * reading.breach.level.limit
        key = "right" if is_right else "fired"
        found = self.judged(reading, key=key, percent=percent, limit_percent=limit_percent)
        if (
            isinstance(found, Fired)
            and found.severity.rank > 0
            and (is_right or (has_risen(run.get("reward")) and not is_greedy))
        ):
            return replace(found, severity=Severity.INFO)
        return found


def _lasts(series: Series, limits: Limits) -> bool:
    """Whether half of the groups agreed for so long that even a sparse reward would have risen."""
    level = Level(Severity.WARNING, limits.warning, limits.lasting)
    reading = read_proven_levels(series, (level,), warm_up=limits.warm_up)
    return isinstance(reading, Reading) and reading.breach is not None


def _samples_near_greedily(run: Run, limits: Limits) -> bool:
    """Whether groups agree because the likeliest answers are drawn, which may be right and may score ever higher."""
    entropy, silent, reward = run.get("entropy_per_token"), run.get("zero_std_fraction"), run.get("reward")
    if run.settings.get("temperature") is not None or entropy is None or silent is None or reward is None:
        return run.settings.samples_near_greedily
    highest = full_marks(run)
    began_right = highest is not None and start_level(reward.values, limits.warm_up) >= limits.near * highest
    return starts_near_greedy(entropy.values, silent.values) and not began_right


def _began_so(run: Run, reading: Reading, limits: Limits) -> bool:
    """Whether groups agreed from the start, with little reward: nothing was ever learned from them."""
    breach = leading([breach for breach in reading.breaches if breach.level.severity is reading.severity])
    share = _share_of_marks(run, reading.series, breach)
    return breach.episode.first < limits.early and 0 <= share < limits.low


def _share_of_marks(run: Run, series: Series, breach: Breach) -> float:
    """The median reward of the episode as a share of the highest possible; −1 where either is not known."""
    reward, highest = run.get("reward"), full_marks(run)
    if reward is None or not highest:
        return -1.0
    first, last = series.steps[[breach.episode.first, breach.episode.last]].tolist()
    median = finite_median(values_between(reward, first, last))
    return -1.0 if math.isnan(median) else median / highest
