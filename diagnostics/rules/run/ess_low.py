"""A few samples carry the whole batch: importance weights are far apart.

What it checks
    The effective sample size as a share of the batch, as the median of five logged points: 0.3 and below for
    three points is a warning.

Why it matters
    With a share of 0.3 the gradient is as noisy as that of a third of the batch, and most of what was generated is
    wasted.

When it is wrong
    In small batches it varies more.

What to try
    Bring the two engines together first: weights, precision, sampling. Then truncate the importance ratio
    harder.

References
    verl documentation, rollout correction.
"""

from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.rules.levels import Level, read_levels
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import RuleResult, english
from diagnostics.rules.run.run_rule import RunRule, series_of


class Limits(RuleLimits):
    """How small a share is too small."""

    warning: float = limit(0.3, "fraction", "verl documentation, rollout correction")
    patience: int = limit(3, "logged points", "engineering default")


class EssLow(RunRule[Limits]):
    """Judges the effective sample size."""

    code = "RV804"
    name = "ess-low"
    grade = "D"
    source = "verl documentation, rollout correction: below 0.3"
    inputs = ("effective_sample_size",)
    limits = Limits()
    remedies = (
        "importance-correction",
        "lower-learning-rate",
    )
    texts = english(
        headline="A few samples carry the whole batch.",
        fired="The effective sample size {stayed} {limit} of the batch{mostly} from step {first} to {last} (lowest "
        "{measured} at step {peak}).",
    )

    def applies(self, run: Run) -> bool:
        """Only where it is logged: most trainers have a single engine and nothing to compare."""
        return super().applies(run) and not self.missing(run)

    def check(self, run: Run, limits: Limits) -> RuleResult:
        level = Level(Severity.WARNING, limits.warning, limits.patience)
        return self.judged(read_levels(series_of(run, "effective_sample_size"), (level,), above=False))
