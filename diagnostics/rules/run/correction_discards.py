"""The correction between the engines leaves out much of what was sampled.

What it checks
    The share of tokens or sequences that the correction masks, as the median of five logged points, for three points:
    0.1 is a warning. 0.5 is told as the graver limit, but is a warning too: both numbers are ours.

Why it matters
    What is masked was generated and graded for nothing. Long answers multiply more ratios and are masked first, so that
    the policy learns from short ones.

When it is wrong
    A mask that is meant to drop a fixed share, such as the worst tenth, reaches the first limit by design.

What to try
    Bring the two engines together first: weights, precision, sampling. Then mask tokens, not sequences, or truncate the
    ratio instead of masking.

References
    verl documentation, rollout correction (rollout_rs_masked_fraction) · TRL issue 5231.
"""

from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.rules.levels import Level, Reading, read_levels
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import RuleResult, english
from diagnostics.rules.run.run_rule import RunRule, series_of

MASKED = ("correction_masked_fraction", "correction_masked_sequences_fraction")


class Limits(RuleLimits):
    """How much may be left out."""

    warning: float = limit(0.1, "fraction", "engineering default")
    grave: float = limit(0.5, "fraction", "engineering default")
    patience: int = limit(3, "logged points", "engineering default")


class CorrectionDiscards(RunRule[Limits]):
    """Judges the masked share."""

    code = "RV808"
    name = "correction-discards"
    grade = "F"
    source = "engineering default; verl documentation, rollout correction"
    inputs = (MASKED,)
    limits = Limits()
    remedies = ("token-truncation", "exact-head")
    texts = english(
        headline="The correction between the engines throws much of the batch away.",
        fired="The correction masked up to {percent} % (step {peak}); {limit_percent} % or more{mostly} from step "
        "{first} to {last}.",
    )

    def applies(self, run: Run) -> bool:
        """Only where it is logged: without a mask nothing is left out."""
        return super().applies(run) and not self.missing(run)

    def check(self, run: Run, limits: Limits) -> RuleResult:
        levels = (
            Level(Severity.WARNING, limits.warning, limits.patience),
            Level(Severity.CRITICAL, limits.grave, limits.patience),
        )
        reading = read_levels(series_of(run, *MASKED), levels)
        if not isinstance(reading, Reading) or reading.breach is None:
            return self.judged(reading)
        percent = 100 * float(reading.series.values[reading.breach.peak])
        return self.judged(reading, percent=percent, limit_percent=100 * reading.breach.level.limit)
