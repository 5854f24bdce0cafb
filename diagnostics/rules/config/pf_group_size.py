"""Few answers to each prompt: often all are right or all wrong, and such a group teaches nothing.

What it checks
    Whether there are fewer than four answers to each prompt. A note.

Why it matters
    Of G answers that are each right with probability p, all are alike with probability p^G + (1 − p)^G, and such a
    group teaches nothing. In small groups that is often so.

When it is wrong
    Groups of two have been trained with success, so this is no error. With graded rewards answers are hardly ever
    alike.

What to try
    Use eight answers to a prompt.

References
    p^G + (1 − p)^G · TRL GRPOConfig: num_generations 8.
"""

from diagnostics.model.algorithms import GROUP_FAMILY
from diagnostics.model.outcome import Severity
from diagnostics.model.setup import Setup
from diagnostics.rules.config.config_rule import ConfigRule
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import Quiet, RuleResult, english

RATES = (0.1, 0.5, 0.9)  # shares of right answers that the message gives examples for


class Limits(RuleLimits):
    """How many answers a group should have."""

    least: int = limit(4, "answers", "engineering default")


class PfGroupSize(ConfigRule[Limits]):
    """Judges `num_generations`."""

    code = "PF503"
    name = "pf-group-size"
    grade = "C"
    source = "p^G + (1 − p)^G; TRL GRPOConfig: num_generations 8"
    inputs = ("num_generations",)
    algorithms = GROUP_FAMILY
    limits = Limits()
    texts = english(
        fired="{parameter} is {value}{origin}: where {rates} % of answers are right, {dead} % of the groups teach "
        "nothing.",
        why="Of eight answers all are alike far less often.",
    )

    def check(self, setup: Setup, limits: Limits) -> RuleResult:
        setting = setup.require("num_generations")
        if setting.number is None or setting.number >= limits.least:
            return Quiet(setting.number, limits.least, "answers")
        dead = [100 * (rate**setting.number + (1 - rate) ** setting.number) for rate in RATES]
        return self.fired(
            Severity.INFO,
            setting,
            suggested=8,
            limit=limits.least,
            unit="answers",
            rates=" / ".join(f"{100 * rate:g}" for rate in RATES),
            dead=" / ".join(f"{share:.0f}" for share in dead),
        )
