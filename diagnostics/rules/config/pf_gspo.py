"""The importance ratio is that of whole sequences (GSPO), but the loss or its clip range is made for tokens.

What it checks
    With importance ratios of whole sequences: whether the loss is another than `grpo`, or the clip range is above
    0.01.

Why it matters
    The ratio of a sequence is a mean over its tokens and stays very close to 1. GSPO clips it at 3e-4 and 4e-4; a
    range made for tokens, such as 0.2, never clips. GSPO averages its loss over sequences, which is TRL's `grpo`.

When it is wrong
    Other combinations are not wrong in themselves; they are not what was published.

What to try
    Set `loss_type` to `grpo` and `epsilon` to 3e-4.

References
    GSPO (arXiv 2507.18071) · TRL's own warning.
"""

from dataclasses import replace

from diagnostics.model.outcome import Severity
from diagnostics.model.setup import Setup
from diagnostics.rules.config.config_rule import ConfigRule
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import Quiet, RuleResult, english

PUBLISHED = 3e-4  # GSPO's lower clip range


class Limits(RuleLimits):
    """Which clip range still acts on sequences."""

    epsilon: float = limit(0.01, "around a ratio of 1", "GSPO: 3e-4 and 4e-4; engineering default well above them")


class PfGspo(ConfigRule[Limits]):
    """Judges the loss and the clip range beside `importance_sampling_level`."""

    code = "PF204"
    name = "pf-gspo"
    grade = "P"
    source = "GSPO (arXiv 2507.18071); TRL's own warning"
    inputs = ("importance_sampling_level",)
    algorithms = frozenset({"grpo"})
    limits = Limits()
    texts = english(
        fired="{parameter} is {value} with {loss}: GSPO averages over sequences, loss_type grpo.",
        wide="{parameter} is {value}{origin} with ratios of sequences: they stay so near to 1 that nothing is ever "
        "clipped.",
        why="That is what GSPO was published with.",
    )

    def check(self, setup: Setup, limits: Limits) -> RuleResult:
        level, loss, epsilon = setup.require("importance_sampling_level"), setup.get("loss_type"), setup.get("epsilon")
        if not str(level.value).startswith("sequence"):
            return Quiet()
        if loss is not None and loss.value != "grpo":
            found = self.fired(Severity.WARNING, loss, suggested="grpo")
            words = f"loss_type {loss.value}"
            message = self.message("fired", parameter=level.parameter, value=str(level.value), loss=words)
            return replace(found, message=message, parameters=(level.parameter, loss.parameter))
        if epsilon is not None and epsilon.number is not None and epsilon.number > limits.epsilon:
            return self.fired(Severity.WARNING, epsilon, key="wide", suggested=PUBLISHED, limit=limits.epsilon)
        return Quiet()
