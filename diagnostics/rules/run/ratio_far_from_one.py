"""The probability ratio leaves 1.0: one update changes the policy too much.

What it checks
    The mean ratio of new to old probability (`val/ratio`), point by point. A value of 2.0 or more, or 0.1 or less, is
    critical where harm is shown, else a warning; 1.25 or more, or 0.8 or less, is a warning when it holds for three
    logged points.

Why it matters
    PPO's samples are valid only while the new policy is near the one that generated them. A ratio of 200 means that a
    token has become 200 times as likely: over-optimisation, and usually collapse later on.

When it is wrong
    It is hardly ever wrong, but it misses much: the expected ratio is 1 for any new policy, so the mean stays near 1
    while single tokens explode. A ratio near 1 proves little; `update-too-large` sees more. TRL 0.17 to 1.12 divides
    the average by num_mini_batches where gradients accumulate, which is undone here.

What to try
    Lower the learning rate, make fewer passes over the same samples, keep the clip range at 0.1 to 0.2, clip the
    gradient. If the ratio is off in the very first update, old and new log-probabilities are computed differently.

References
    TRL logging page (2.0, 1000.0, 0.1) · TRL PPO page, debugging tip · old TRL logging page (200).
"""

from diagnostics.model.algorithms import PPO_FAMILY
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.rules.levels import Level, Reading, read_levels
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import RuleResult, english
from diagnostics.rules.run.run_rule import RunRule, series_of


class Limits(RuleLimits):
    """How far from 1.0 is too far, on either side."""

    critical_high: float = limit(2.0, "ratio", "TRL logging page: too high (e.g., 2.0 or 1000.0)")
    critical_low: float = limit(0.1, "ratio", "TRL logging page: too small (e.g., 0.1)")
    critical_patience: int = limit(1, "logged points", "engineering default")
    warning_high: float = limit(1.25, "ratio", "engineering default")
    warning_low: float = limit(0.8, "ratio", "engineering default")
    warning_patience: int = limit(3, "logged points", "engineering default")


class RatioFarFromOne(RunRule[Limits]):
    """Judges `val/ratio` on both sides of 1.0."""

    code = "RV201"
    name = "ratio-far-from-one"
    grade = "S"
    source = "TRL logging page: val/ratio should float around 1.0"
    algorithms = PPO_FAMILY
    inputs = ("ratio_mean",)
    limits = Limits()
    measures_distance = True
    remedies = ("much-lower-learning-rate", "restored-clip-range", "fewer-epochs", "clipped-gradient")
    telling_samples = "any"
    texts = english(
        headline="Each update changes the policy too much: the probability ratio is far from 1.0.",
        above_once="The probability ratio, which should float around 1.0, was {measured} at step {first} (limit "
        "{limit}){harm}.",
        below_once="The probability ratio, which should float around 1.0, was {measured} at step {first} (limit "
        "{limit}){harm}.",
        above="The probability ratio, which should float around 1.0, reached {measured} at step {peak}; it was at "
        "{limit} or more{mostly} from step {first} to {last}{harm}.",
        below="The probability ratio, which should float around 1.0, fell to {measured} at step {peak}; it was at "
        "{limit} or less{mostly} from step {first} to {last}{harm}.",
    )

    def check(self, run: Run, limits: Limits) -> RuleResult:
        series = series_of(run, "ratio_mean")
        high = read_levels(series, _levels(limits.warning_high, limits.critical_high, limits), smooth=False)
        low = read_levels(series, _levels(limits.warning_low, limits.critical_low, limits), above=False, smooth=False)
        if _rank(low) > _rank(high):
            return self.judged(low, key="below")
        return self.judged(high, key="above")


def _levels(warning: float, critical: float, limits: Limits) -> tuple[Level, ...]:
    return (
        Level(Severity.WARNING, warning, limits.warning_patience),
        Level(Severity.CRITICAL, critical, limits.critical_patience),
    )


def _rank(reading: object) -> int:
    return reading.severity.rank if isinstance(reading, Reading) and reading.severity else -1
