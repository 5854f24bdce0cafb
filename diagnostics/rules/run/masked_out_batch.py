"""Most answers are cut off, and cut-off answers do not count: hardly anything is trained on.

What it checks
    Where `mask_truncated_completions` is on: more than half of the completions cut off, as the median of five
    logged points, for five points, and more than chance explains: a warning.

Why it matters
    Masked answers give no gradient. The effective batch is what remains: the short answers.

When it is wrong
    A stretch of the data holds long tasks among otherwise short ones.

What to try
    Raise the length limit, or let cut-off answers count.

References
    TRL GRPOConfig: mask_truncated_completions · DAPO (arXiv 2503.14476) recommends it, Skywork-OR1 (arXiv
    2505.22312) found it unhelpful.
"""

from diagnostics.model.algorithms import GROUP_FAMILY
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.rules.levels import Level, Reading, read_proven_levels
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import RuleResult, english
from diagnostics.rules.run.run_rule import RunRule, series_of


class Limits(RuleLimits):
    """Which share of masked answers is too much."""

    warning: float = limit(0.5, "fraction", "engineering default: half of the batch is lost")
    patience: int = limit(5, "logged points", "engineering default")


class MaskedOutBatch(RunRule[Limits]):
    """Judges `completions/clipped_ratio` where cut-off answers are masked."""

    code = "RV608"
    name = "masked-out-batch"
    grade = "C"
    source = "TRL GRPOConfig: mask_truncated_completions takes cut-off answers out of the loss"
    algorithms = GROUP_FAMILY
    inputs = ("truncated_fraction",)
    limits = Limits()
    remedies = (
        "longer-completions",
        "counted-truncated",
    )
    telling_samples = "cut-off"
    texts = english(
        headline="Hardly anything is trained on: cut-off answers do not count.",
        fired="Up to {percent} % of the completions were cut off and so masked out of the loss (step {peak}); half "
        "of them and more{mostly} from step {first} to {last}.",
    )

    def applies(self, run: Run) -> bool:
        """Only where masking is on."""
        return super().applies(run) and run.settings.is_on("mask_truncated")

    def check(self, run: Run, limits: Limits) -> RuleResult:
        level = Level(Severity.WARNING, limits.warning, limits.patience)
        reading = read_proven_levels(series_of(run, "truncated_fraction"), (level,))
        if not isinstance(reading, Reading) or reading.breach is None:
            return self.judged(reading)
        return self.judged(reading, percent=100 * float(reading.series.values[reading.breach.peak]))
