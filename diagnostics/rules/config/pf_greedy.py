"""The likeliest token is taken, or nearly so: nothing is explored, and answers to one prompt are all alike.

What it checks
    Whether sampling is off, or the temperature is below 0.3: critical for algorithms that compare a group of answers,
    else a warning.

Why it matters
    Nothing is explored. Groups of equal answers have equal rewards, which teach nothing; for GRPO that is the end of
    learning. In unsloth issue 4189 a temperature of 0.1 was enough.

When it is wrong
    A policy of high entropy still varies at a low temperature.

What to try
    Sample with temperature 1.0.

References
    TRL training FAQ: how to generate text for training · unsloth issue 4189.
"""

from diagnostics.model.algorithms import GROUP_FAMILY
from diagnostics.model.outcome import Severity
from diagnostics.model.setup import Setup
from diagnostics.rules.config.config_rule import ConfigRule
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import Quiet, RuleResult, english


class Limits(RuleLimits):
    """Which temperature is nearly greedy."""

    temperature: float = limit(0.3, "temperature", "unsloth issue 4189 at 0.1; engineering default above it")


class PfGreedy(ConfigRule[Limits]):
    """Judges `do_sample` and `temperature`."""

    code = "PF501"
    name = "pf-greedy"
    grade = "S"
    source = "TRL training FAQ: how to generate text for training; unsloth issue 4189"
    inputs = ("temperature",)
    limits = Limits()
    texts = english(
        fired="{parameter} is {value}{origin}, below {limit}: next to nothing is explored, and answers to one prompt "
        "are alike.",
        off="{parameter} is {value}{origin}: the likeliest token is always taken, so that nothing is explored.",
        why="Sampling at temperature 1 explores what the policy itself finds possible.",
    )

    def check(self, setup: Setup, limits: Limits) -> RuleResult:
        severity = Severity.CRITICAL if setup.algorithm in GROUP_FAMILY else Severity.WARNING
        sampling, temperature = setup.get("do_sample"), setup.require("temperature")
        if sampling is not None and not sampling.is_on:
            return self.fired(severity, sampling, key="off", suggested=True, measured=0.0)
        lowest = limits.temperature
        if temperature.number is None or temperature.number >= lowest:
            return Quiet(temperature.number, lowest)
        return self.fired(severity, temperature, suggested=1.0, limit=lowest)
