"""Only the likeliest tokens that make up a probability are sampled, but all are scored.

What it checks
    Whether `top_p` is below 1.

Why it matters
    Nucleus sampling never draws the tail that the log-probabilities include, so KL and importance ratios are those of
    another distribution.

When it is wrong
    A value such as 0.99 cuts little. Trainers that score with the same cut have no mismatch.

What to try
    Set `top_p` to 1.0.

References
    TRL training FAQ: how to generate text for training.
"""

from diagnostics.model.outcome import Severity
from diagnostics.model.setup import Setup
from diagnostics.rules.config.config_rule import ConfigRule
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import Quiet, RuleResult, english


class Limits(RuleLimits):
    """Which top_p keeps the whole distribution."""

    whole: float = limit(1.0, "probability", "TRL training FAQ: top_p 1.0")


class PfTopP(ConfigRule[Limits]):
    """Judges `top_p`."""

    code = "PF302"
    name = "pf-top-p"
    grade = "S"
    source = "TRL training FAQ: how to generate text for training"
    inputs = ("top_p",)
    limits = Limits()
    texts = english(
        fired="{parameter} is {value}{origin}: the tail of the distribution is scored but never sampled.",
        why="1.0 samples from the distribution that is scored.",
    )

    def check(self, setup: Setup, limits: Limits) -> RuleResult:
        setting = setup.require("top_p")
        if setting.number is None or setting.number >= limits.whole:
            return Quiet(setting.number, limits.whole)
        return self.fired(Severity.WARNING, setting, suggested=1.0, limit=limits.whole)
