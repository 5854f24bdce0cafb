"""The end of an answer is forbidden for some tokens, so that the probability of the end token is free to vanish.

What it checks
    Whether a minimum length is set, or the end token is among the suppressed tokens.

Why it matters
    While the end token may not be drawn, its log-probability is scored all the same: the policy can push it to
    nothing and make the KL negative, which is rewarded.

When it is wrong
    A least length of a few tokens hardly matters where answers are long.

What to try
    Set the least length to 0, and leave the end token alone.

References
    TRL training FAQ: how to generate text for training.
"""

from typing import Any

from diagnostics.model.outcome import Severity
from diagnostics.model.setup import Setup
from diagnostics.rules.config.config_rule import ConfigRule
from diagnostics.rules.rule import NoLimits, Quiet, RuleResult, english


class PfMinLength(ConfigRule[NoLimits]):
    """Judges `min_new_tokens`, `min_length` and suppressed tokens."""

    code = "PF601"
    name = "pf-min-length"
    grade = "S"
    source = "TRL training FAQ: how to generate text for training"
    inputs = ("min_new_tokens",)
    limits = NoLimits()
    texts = english(
        fired="{parameter} is {value}{origin}: the end token is forbidden but scored, which can make the KL negative.",
        suppressed="{parameter} forbids the end token{origin}: no answer can end.",
        why="An answer that may end at any time keeps the end token's probability honest.",
    )

    def check(self, setup: Setup, limits: NoLimits) -> RuleResult:
        suppressed = setup.get("suppress_tokens")
        if suppressed is not None and set(_token_ids(suppressed.value)) & set(setup.model.eos_token_ids):
            return self.fired(Severity.WARNING, suppressed, key="suppressed")
        setting = setup.require("min_new_tokens")
        if setting.number is None or setting.number <= 0:
            return Quiet(setting.number)
        return self.fired(Severity.WARNING, setting, suggested=0)


def _token_ids(value: Any) -> list[int]:
    return [item for item in value if isinstance(item, int)] if isinstance(value, list | tuple) else []
