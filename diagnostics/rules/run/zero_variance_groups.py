"""Most groups give every answer the same reward, so most of the batch teaches nothing.

What it checks
    The share of groups without a difference (`frac_reward_zero_std`), as the median of five logged points: 0.4 for ten
    steps is info, half for thirty is a warning, as a sparse reward takes some steps to rise. Their mean must exceed
    that by three of its standard errors, because with a handful of groups in a step half may agree by chance. Nearly
    all of them (98 %) for thirty steps, or for ten in which the mean reward is the same as well, is critical where the
    run began like that and earns less than half of the highest reward. It is info where the reward is near its highest
    value, because groups then agree in being right (unless more agree than can earn that much), and where the reward
    rises regardless, or may have gained a fifth of the spread from answer to answer as far as its noise tells; not
    where it is below half of the highest value and stays within a hundredth of that. None of this holds where answers
    are drawn at a temperature below 0.3, at which they agree whether right or wrong; where no temperature is known, nor
    where half of the groups agreed from the start, at an entropy below 0.03 nats per token, before most answers were
    right: ten steps are enough then. Unless such a temperature is stated, it is info all the same where the reward is
    at 95 % of the highest. The first five steps are not judged.

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
from diagnostics.detectors.silent_groups import may_all_be_right
from diagnostics.detectors.stillness import change_of_level
from diagnostics.model.algorithms import GROUP_FAMILY
from diagnostics.model.alignment import values_between
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.model.series import Series, Values
from diagnostics.rules.breaches import Breach, Level, leading
from diagnostics.rules.cadence import paced
from diagnostics.rules.levels import Reading, read_proven_levels
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.missing_metrics import why_not_per_group
from diagnostics.rules.rewards import full_marks, has_never_moved, may_be_rising
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
    lasting: int = limit(30, "logged points", "healthy trainings of a sparse reward rise that soon; for alarms")
    warm_up: int = limit(5, "logged points", "engineering default")
    early: int = limit(20, "logged points", "engineering default: what begins later was brought about")
    low: float = limit(0.5, "of the highest reward", "engineering default")
    small: float = limit(0.2, "of the spread from answer to answer", "Cohen 1988: a small effect")
    standard_errors: float = limit(2.0, "standard errors of the gain", "engineering default")
    still: float = limit(0.01, "of the highest reward", "a public run that stayed at 0.07 of 1 for 540 steps")
    near: float = limit(0.8, "of the highest reward", "rlhf-book: above 80 % most silent groups are solved ones")
    nearly_all: float = limit(0.95, "of the highest reward", "engineering default: a solved task")


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
        is_greedy = _samples_near_greedily(run, limits)
        note = Level(Severity.INFO, limits.info, limits.patience)
        alarming = _alarming(run, series, limits, limits.patience if is_greedy else limits.lasting)
        reading = alarming or read_proven_levels(series, (note,), warm_up=limits.warm_up)
        if not isinstance(reading, Reading) or reading.breach is None:
            return self.judged(reading)
        is_right = not run.settings.samples_near_greedily and _is_right(
            run, series, reading.breach, limits.nearly_all if is_greedy else limits.near
        )
        percent, limit_percent = 100 * float(series.values[reading.breach.peak]), 100 * reading.breach.level.limit
        key = "right" if is_right else "fired"
        found = self.judged(reading, key=key, percent=percent, limit_percent=limit_percent)
        if (
            isinstance(found, Fired)
            and found.severity.rank > 0
            and (is_right or (not is_greedy and _may_be_rising(run, series, reading.breach, limits)))
        ):
            return replace(found, severity=Severity.INFO)
        return found


def _alarming(run: Run, series: Series, limits: Limits, patience: int) -> Reading | None:
    """The reading at this patience, or sooner where nothing at all is earned.

    None where no more than a note comes of it.
    """
    soon = _read(run, series, limits, limits.patience)
    if soon and soon.severity is Severity.CRITICAL and _all_earn_the_same(run, soon):
        return soon
    reading = _read(run, series, limits, patience)
    return reading if reading and reading.severity is not Severity.INFO else None


def _read(run: Run, series: Series, limits: Limits, patience: int) -> Reading | None:
    """The breaches at this patience; None where there are none. Critical ones only where the run began like that."""
    info = Level(Severity.INFO, limits.info, patience)
    warning = Level(Severity.WARNING, limits.warning, patience)
    critical = Level(Severity.CRITICAL, limits.critical, patience)
    reading = read_proven_levels(series, (info, warning, critical), warm_up=limits.warm_up)
    if isinstance(reading, Reading) and reading.severity is Severity.CRITICAL and not _began_so(run, reading, limits):
        reading = read_proven_levels(series, (info, warning), warm_up=limits.warm_up)
    return reading if isinstance(reading, Reading) and reading.breach else None


def _all_earn_the_same(run: Run, reading: Reading) -> bool:
    """Whether the mean reward does not change either while groups agree: then it is no sparse one."""
    breach = leading([breach for breach in reading.breaches if breach.level.severity is reading.severity])
    reward = run.get("reward")
    return reward is not None and has_never_moved(_values_of(reward, reading.series, breach))


def _may_be_rising(run: Run, series: Series, breach: Breach, limits: Limits) -> bool:
    """Whether the reward rises regardless, as far as its noise tells, and does not stay at little."""
    is_rising = may_be_rising(run, run.get("reward"), limits.small, limits.standard_errors)
    return is_rising and not _stays_low(run, series, breach, limits)


def _stays_low(run: Run, series: Series, breach: Breach, limits: Limits) -> bool:
    """Whether the reward is little of the highest while groups agree, and the same from then on to the end."""
    reward, highest = run.get("reward"), full_marks(run)
    if reward is None or not highest or not 0 <= _share_of_marks(run, series, breach) < limits.low:
        return False
    change = change_of_level(reward.values[reward.steps >= series.steps[breach.episode.first]])
    return change is not None and abs(change.after - change.before) <= limits.still * highest


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
    median = finite_median(_values_of(reward, series, breach))
    return -1.0 if math.isnan(median) else median / highest


def _is_right(run: Run, series: Series, breach: Breach, near: float) -> bool:
    """Whether the mean reward of the episode is near the highest, and the silent groups may all have earned that."""
    share, silent = _share_of_marks(run, series, breach), finite_median(_values_of(series, series, breach))
    return share >= near and may_all_be_right(share, silent)


def _values_of(reward: Series, series: Series, breach: Breach) -> Values:
    """The rewards while the series was in breach."""
    first, last = series.steps[[breach.episode.first, breach.episode.last]].tolist()
    return values_between(reward, first, last)
