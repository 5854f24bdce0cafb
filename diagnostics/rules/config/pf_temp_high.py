"""A high temperature samples much that the policy itself finds unlikely.

What it checks
    Whether the temperature is above 1.5. A note.

Why it matters
    Much is sampled that the policy itself finds unlikely, and answers turn to noise before the reward can tell them
    apart.

When it is wrong
    A policy of very low entropy may need a high temperature to explore at all.

What to try
    Set `temperature` to 1.0.

References
    Engineering default.
"""

from diagnostics.model.outcome import Severity
from diagnostics.model.setup import Setup
from diagnostics.rules.config.config_rule import ConfigRule
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import Quiet, RuleResult, english


class Limits(RuleLimits):
    """Which temperature is too high."""

    highest: float = limit(1.5, "temperature", "engineering default")


class PfTempHigh(ConfigRule[Limits]):
    """Judges `temperature`."""

    code = "PF502"
    name = "pf-temp-high"
    grade = "F"
    source = "engineering default"
    inputs = ("temperature",)
    limits = Limits()
    texts = english(
        fired="{parameter} is {value}{origin}: at such a temperature answers soon turn into noise.",
        why="1.0 is the policy's own distribution.",
    )

    def check(self, setup: Setup, limits: Limits) -> RuleResult:
        setting = setup.require("temperature")
        if setting.number is None or setting.number <= limits.highest:
            return Quiet(setting.number, limits.highest)
        return self.fired(Severity.INFO, setting, suggested=1.0, limit=limits.highest)
