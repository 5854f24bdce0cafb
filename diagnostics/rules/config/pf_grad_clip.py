"""Gradients are not clipped: one bad batch can move the policy as far as it likes.

What it checks
    Whether `max_grad_norm` is missing, 0, or 10 and above.

Why it matters
    Rewards are noisy and a batch is small: one bad batch gives a gradient many times the usual one, and without a
    bound the policy follows it.

When it is wrong
    A trainer may clip by other means, such as per-parameter clipping or an optimizer that normalises its updates.
    Where gradients stay small, the bound never acts.

What to try
    Set `max_grad_norm` to 1.0.

References
    verl documentation: commonly 1 · transformers TrainingArguments: max_grad_norm 1.0.
"""

from diagnostics.model.outcome import Severity
from diagnostics.model.setup import Setup
from diagnostics.rules.config.config_rule import ConfigRule
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import Quiet, RuleResult, english


class Limits(RuleLimits):
    """Which bound no longer clips."""

    highest: float = limit(10.0, "norm", "verl: commonly 1; ten times as much hardly ever clips")


class PfGradClip(ConfigRule[Limits]):
    """Judges `max_grad_norm`."""

    code = "PF102"
    name = "pf-grad-clip"
    grade = "D"
    source = "verl documentation: commonly 1; transformers TrainingArguments: max_grad_norm 1.0"
    inputs = ("max_grad_norm",)
    limits = Limits()
    texts = english(
        fired="{parameter} is {value}{origin}: one bad batch can move the policy as far as it likes.",
        why="Clipping the gradient bounds what one batch can do.",
    )

    def check(self, setup: Setup, limits: Limits) -> RuleResult:
        setting = setup.require("max_grad_norm")
        if setting.number is not None and 0 < setting.number < limits.highest:
            return Quiet(setting.number, limits.highest, "norm")
        return self.fired(Severity.WARNING, setting, suggested=1.0, limit=limits.highest, unit="norm")
