"""Many reward functions at once: when the sum does not move, nobody knows which one is to blame.

What it checks
    Whether more than two reward functions are named; a reward model counts as one. A note.

Why it matters
    When the sum of many does not move, or moves for the wrong reason, it is hard to tell which of them is to blame.

When it is wrong
    Functions that were tried one by one are no trouble, nor are penalties that mostly stay at 0.

What to try
    Begin with one signal, see it rise, then add the next.

References
    TRL training FAQ: start simple.
"""

from diagnostics.model.outcome import Severity
from diagnostics.model.setup import Setup
from diagnostics.rules.config.config_rule import ConfigRule
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import Quiet, RuleResult, english


class Limits(RuleLimits):
    """How many functions a first run should have."""

    most: int = limit(2, "functions", "TRL training FAQ: start simple; the number is an engineering default")


class PfManyRewards(ConfigRule[Limits]):
    """Counts the reward functions."""

    code = "PF401"
    name = "pf-many-rewards"
    grade = "S"
    source = "TRL training FAQ: start simple"
    inputs = ("reward_funcs",)
    limits = Limits()
    texts = english(
        fired="{parameter} names {count} functions: begin with one signal, see it rise, then add the next.",
    )

    def check(self, setup: Setup, limits: Limits) -> RuleResult:
        count = len(setup.reward_names)
        if count <= limits.most:
            return Quiet(count, limits.most, "functions")
        return self.fired(
            Severity.INFO,
            setup.require("reward_funcs"),
            measured=count,
            limit=limits.most,
            unit="functions",
            count=count,
        )
