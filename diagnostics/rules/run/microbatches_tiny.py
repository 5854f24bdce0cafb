"""Micro-batches are tiny: each row holds about one sample, and the devices are far from busy.

What it checks
    The samples packed into a row (`batch/samples_per_row`), as the median of five logged points: 1.5 or fewer for ten
    points, while the MFU of the update is below 0.1, is a warning.

Why it matters
    A short sequence alone keeps no large device busy: the time goes into starting kernels. A published run became
    almost four times as fast by packing twelve samples into each row, with the same batch and the same reward.

When it is wrong
    Sequences that fill a row by themselves; the MFU is then high.

What to try
    Batch by a budget of tokens, or put more samples into a micro-batch and need fewer passes.

References
    Hugging Face 2026, Async GRPO with LoRA across HF Jobs: 1.0 sample a row at 3.9 % MFU, 12.7 at 19 %.
"""

from diagnostics.detectors.averages import finite_median
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.rules.levels import Level, read_levels
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import Quiet, RuleResult, english
from diagnostics.rules.run.run_rule import series_of
from diagnostics.rules.run.speed_rule import SpeedRule


class Limits(RuleLimits):
    """How few samples a row are too few, and how little work."""

    samples: float = limit(1.5, "samples", "Hugging Face 2026: 1.0 before, 12.7 after; engineering default")
    utilization: float = limit(0.1, "MFU", "Hugging Face 2026: 0.039 before, 0.19 after; engineering default")
    patience: int = limit(10, "logged points", "engineering default")


class MicrobatchesTiny(SpeedRule[Limits]):
    """Judges the samples packed into a row, where devices are idle."""

    code = "RV912"
    name = "microbatches-tiny"
    grade = "I"
    source = "Hugging Face 2026, Async GRPO with LoRA across HF Jobs"
    inputs = ("samples_per_row", "model_flops_utilization")
    marks = ("samples_per_row",)
    limits = Limits()
    remedies = ("packed-rows",)
    texts = english(
        headline="Each micro-batch holds about one sample, and the devices are far from busy.",
        fired="Samples per row: {measured}, at an MFU of {utilization} % (step {first} to {last}).",
    )

    def check(self, run: Run, limits: Limits) -> RuleResult:
        rows = series_of(run, "samples_per_row")
        utilization = finite_median(series_of(run, "model_flops_utilization").values)
        level = Level(Severity.WARNING, limits.samples, limits.patience)
        if not utilization < limits.utilization:
            return Quiet(utilization, limits.utilization, "MFU", "model_flops_utilization")
        return self.judged(read_levels(rows, (level,), above=False), utilization=100 * utilization)
