"""The rewards of a batch differ less and less: the answers are becoming alike.

What it checks
    The spread of the reward, as the median of five logged points, against its median over the first 20: a fifth of it
    or less, for ten points, in which the mean has fallen to half of its start as well: a median of a few groups is 0 by
    chance. It is a warning where the reward has not risen meanwhile, and info where it has, or where the spread has
    come back; near full marks it is not judged.

Why it matters
    Without differences there is no gradient. The spread falls before the reward does when a model starts to repeat
    itself.

When it is wrong
    TRL up to 0.26 logs the mean spread within groups, from 0.27 the spread of the batch; the rule only compares a run
    with itself. A run that has nearly solved its task has a small spread too: hence the info. Of 60 simulated healthy
    runs of 1000 points none fires up to an autocorrelation of 0.95 or with heavy tails (t₃).

What to try
    Look at answers to the same prompt. Try temperature 1.0, a higher `epsilon_high` or an entropy bonus, or go back to
    an earlier checkpoint.

References
    RAGEN (arXiv 2504.20073): reward variance falls off before a collapse · RAGEN-2 (arXiv 2604.06268).
"""

from dataclasses import replace

from diagnostics.detectors.averages import finite_mean, finite_median, finite_points, start_level
from diagnostics.detectors.noise import estimate_noise
from diagnostics.model.alignment import values_between
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.model.series import Series, Values
from diagnostics.rules.cadence import paced
from diagnostics.rules.levels import Breach, Level, Reading, read_levels
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rewards import SCORES, full_marks
from diagnostics.rules.rule import Fired, Quiet, RuleResult, english
from diagnostics.rules.run.run_rule import RunRule, series_of, too_few


class Limits(RuleLimits):
    """Which spread is too small, and when the reward counts as risen."""

    share: float = limit(0.2, "of its own start", "engineering default")
    patience: int = limit(10, "logged points", "engineering default")
    start: int = limit(20, "logged points", "engineering default")
    mean: float = limit(0.5, "of its own start", "engineering default")
    deviations: float = limit(2.0, "deviations of the reward", "engineering default")
    full_marks: float = limit(0.95, "of the highest reward", "engineering default")
    smallest: float = limit(1e-6, "reward", "float noise of equal rewards")


class RewardStdShrink(RunRule[Limits]):
    """Judges `reward_std` against its own start."""

    code = "RV411"
    name = "reward-std-shrink"
    grade = "P"
    source = "RAGEN (arXiv 2504.20073)"
    inputs = (("reward_std", "score_std"), SCORES)
    limits = Limits()
    remedies = ("true-temperature", "wider-clip-range", "earlier-checkpoint")
    telling_samples = "top-scored"
    texts = english(
        headline="The rewards of a batch hardly differ any more.",
        fired="The spread of the reward {stayed} {limit}{mostly} from step {first} to {last} ({percent} % of its "
        "start; {measured} at step {peak}).",
    )

    def check(self, run: Run, limits: Limits) -> RuleResult:
        spread = series_of(run, "reward_std", "score_std")
        limits = paced(limits, run, spread, start=5)
        start = start_level(spread.values, limits.start)
        if finite_points(spread.values) < limits.start + limits.patience:
            return too_few(limits.start + limits.patience, finite_points(spread.values))
        if start <= limits.smallest:
            return Quiet(1.0, limits.share, "of its own start", spread.name, spread.tag)
        level = Level(Severity.WARNING, limits.share * start, limits.patience)
        reading = read_levels(spread, (level,), above=False, warm_up=limits.start)
        finding = self.judged(reading, percent=100 * limits.share)
        if not isinstance(finding, Fired) or not isinstance(reading, Reading) or reading.breach is None:
            return finding
        reward = series_of(run, *SCORES)
        mean = finite_mean(_within(spread, spread, reading.breach))
        if mean > limits.mean * finite_mean(spread.values[: limits.start]):
            return Quiet(mean / start, limits.share, "of its own start", spread.name, spread.tag)
        reached, highest = finite_median(_within(reward, spread, reading.breach)), full_marks(run)
        if highest and reached >= limits.full_marks * highest:
            return Quiet(1.0, limits.share, "of its own start", spread.name, spread.tag)
        risen = (
            reached
            > start_level(reward.values, limits.start) + limits.deviations * estimate_noise(reward.values).deviation
        )
        return replace(finding, severity=Severity.INFO) if risen or not finding.still else finding


def _within(series: Series, spread: Series, breach: Breach) -> Values:
    """The values of a series in the steps of the breach."""
    first, last = spread.steps[[breach.episode.first, breach.episode.last]].tolist()
    return values_between(series, first, last)
