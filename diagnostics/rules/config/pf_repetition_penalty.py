"""A repetition penalty samples from a distribution that depends on what was said before.

What it checks
    Whether `repetition_penalty` is anything but 1.

Why it matters
    The log-probabilities know nothing of the penalty, so importance ratios and KL compare two distributions. In
    ms-swift issue 3582 a penalty of 1.1 with top_k 50 and top_p 0.9 ended in gibberish.

When it is wrong
    A penalty very close to 1 changes little.

What to try
    Set `repetition_penalty` to 1.0; penalise repetition in the reward instead.

References
    ms-swift issue 3582.
"""

from diagnostics.model.outcome import Severity
from diagnostics.model.setup import Setup
from diagnostics.rules.config.config_rule import ConfigRule
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import Quiet, RuleResult, english


class Limits(RuleLimits):
    """Which penalty is none."""

    off: float = limit(1.0, "factor", "transformers GenerationConfig: 1.0 is off")


class PfRepetitionPenalty(ConfigRule[Limits]):
    """Judges `repetition_penalty`."""

    code = "PF304"
    name = "pf-repetition-penalty"
    grade = "I"
    source = "ms-swift issue 3582"
    inputs = ("repetition_penalty",)
    limits = Limits()
    texts = english(
        fired="{parameter} is {value}{origin}: answers come from a distribution that is not the one scored.",
        why="1.0 switches the penalty off; pay for repetition in the reward instead.",
    )

    def check(self, setup: Setup, limits: Limits) -> RuleResult:
        setting = setup.require("repetition_penalty")
        if setting.number is None or setting.number == limits.off:
            return Quiet(setting.number, limits.off)
        return self.fired(Severity.WARNING, setting, suggested=1.0, limit=limits.off)
