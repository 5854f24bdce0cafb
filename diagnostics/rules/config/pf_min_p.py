"""Tokens below a share of the likeliest one's probability are never sampled, but they are scored.

What it checks
    Whether `min_p` is above 0.

Why it matters
    It is the bias of top_k and top_p with a cut that depends on the likeliest token: what is never sampled is scored
    all the same.

When it is wrong
    A small value cuts little where the policy is unsure and nearly nothing where it is sure.

What to try
    Set `min_p` to 0.

References
    TRL training FAQ: how to generate text for training.
"""

from diagnostics.model.outcome import Severity
from diagnostics.model.setup import Setup
from diagnostics.rules.config.config_rule import ConfigRule
from diagnostics.rules.rule import NoLimits, Quiet, RuleResult, english


class PfMinP(ConfigRule[NoLimits]):
    """Judges `min_p`."""

    code = "PF303"
    name = "pf-min-p"
    grade = "S"
    source = "TRL training FAQ: how to generate text for training"
    inputs = ("min_p",)
    limits = NoLimits()
    texts = english(
        fired="{parameter} is {value}{origin}: unlikely tokens are scored but never sampled.",
        why="0 samples from the distribution that is scored.",
    )

    def check(self, setup: Setup, limits: NoLimits) -> RuleResult:
        setting = setup.require("min_p")
        if not setting.number or setting.number < 0:
            return Quiet(setting.number)
        return self.fired(Severity.WARNING, setting, suggested=0.0)
