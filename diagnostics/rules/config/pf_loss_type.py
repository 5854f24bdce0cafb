"""Each answer's loss is divided by its own length: long wrong answers become cheap.

What it checks
    Whether `loss_type` is `grpo` while answers may have 1024 tokens or more. A note.

Why it matters
    This loss divides by the length of each answer, so every token of a long wrong answer is punished less: with long
    chains of thought an incentive to ramble when wrong.

When it is wrong
    Where right and wrong answers are equally long there is no such bias. Many published results used this loss.

What to try
    Use `dr_grpo` or `dapo`, which divide by something that does not depend on the single answer.

References
    TRL documentation of loss_type · Dr. GRPO (arXiv 2503.20783).
"""

from diagnostics.model.outcome import Severity
from diagnostics.model.setup import Setup
from diagnostics.rules.config.config_rule import ConfigRule
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import Quiet, RuleResult, english


class Limits(RuleLimits):
    """From which length on the bias matters."""

    long: int = limit(1024, "tokens", "engineering default: room for a chain of thought")


class PfLossType(ConfigRule[Limits]):
    """Judges `loss_type` for long answers."""

    code = "PF205"
    name = "pf-loss-type"
    grade = "P"
    source = "TRL documentation of loss_type; Dr. GRPO (arXiv 2503.20783)"
    inputs = ("loss_type", "max_tokens")
    algorithms = frozenset({"grpo"})
    limits = Limits()
    texts = english(
        fired="{parameter} is {value}{origin} with answers of up to {tokens} tokens: long wrong answers are punished "
        "less.",
        why="dr_grpo and dapo divide by what does not depend on the single answer.",
    )

    def check(self, setup: Setup, limits: Limits) -> RuleResult:
        setting, longest = setup.require("loss_type"), setup.number("max_tokens") or 0.0
        if setting.value != "grpo" or longest < limits.long:
            return Quiet(longest, limits.long, "tokens")
        return self.fired(
            Severity.INFO, setting, suggested="dr_grpo", measured=longest, limit=limits.long, unit="tokens",
            tokens=f"{longest:g}",
        )  # fmt: skip
