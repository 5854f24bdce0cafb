"""Recomputation is expensive: the backward pass takes far longer than two forward passes.

What it checks
    (forward and backward − forward) / forward, as the median of five logged points: above 2.5 for ten points is a note.
    Not judged where the settings say that gradient checkpointing is off.

Why it matters
    A backward pass costs about two forward passes, and less where most weights are frozen. Three and more means that
    the forward is computed again: gradient checkpointing trades time for memory that may not be needed.

When it is wrong
    Gathering sharded parameters, or offloading, makes the backward long as well; memory may be needed later, when
    answers become longer.

What to try
    Switch gradient checkpointing off, and watch the memory of the longest batch.

References
    Hugging Face 2026, Async GRPO with LoRA across HF Jobs: a ratio of 3.2 with checkpointing, 2.5 without it.
"""

from dataclasses import replace

from diagnostics.detectors.averages import finite_median
from diagnostics.detectors.ratios import ratios
from diagnostics.model.alignment import at_common_steps
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.rules.levels import Level, read_levels
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import RuleResult, Skipped, english
from diagnostics.rules.run.run_rule import series_of
from diagnostics.rules.run.speed_rule import SpeedRule, too_short


class Limits(RuleLimits):
    """Which ratio shows recomputation."""

    ratio: float = limit(2.5, "backward/forward", "Hugging Face 2026: 3.2 with recomputation, 2.5 without")
    patience: int = limit(10, "logged points", "engineering default")


class RecomputeDear(SpeedRule[Limits]):
    """Judges the time of the backward pass over that of the forward pass."""

    code = "RV913"
    name = "recompute-dear"
    grade = "I"
    source = "Hugging Face 2026, Async GRPO with LoRA across HF Jobs"
    inputs = ("forward_time", "forward_backward_time")
    marks = ("forward_backward_time",)
    limits = Limits()
    remedies = ("no-checkpointing",)
    texts = english(
        headline="The forward pass is computed again, which may not be needed.",
        fired="The backward pass took {ratio} × the forward from step {first} to {last}; with gradient checkpointing "
        "the forward is computed twice.",
        off="Gradient checkpointing is off, so nothing is computed again.",
        enable="Nothing to do.",
    )

    def check(self, run: Run, limits: Limits) -> RuleResult:
        forward, both = at_common_steps(series_of(run, "forward_time"), series_of(run, "forward_backward_time"))
        if run.settings.value("gradient_checkpointing") is False:
            return Skipped(self.message("off"), self.message("enable"), applies=False)
        if short := too_short(both):
            return short
        ratio = ratios(both.values, forward.values) - 1.0
        reading = read_levels(replace(both, values=ratio), (Level(Severity.INFO, limits.ratio, limits.patience),))
        base = forward.values * (1.0 + limits.ratio)
        unit = "× the forward pass"
        return self.judged_in_unit(both, base, reading, limit=1.0, unit=unit, ratio=finite_median(ratio))
