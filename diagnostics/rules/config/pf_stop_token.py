"""Generation waits for a token that is not the model's end, so that its answers run on past their end.

What it checks
    Whether `stop_token_id` is none of the model's own end tokens.

Why it matters
    Generation waits for a token that does not come: past its end the model writes what it never learned to write, up
    to the length limit, and is scored for it.

When it is wrong
    A policy that was fine-tuned to end with another token than its configuration names is right to do so.

What to try
    Use the model's own end token.

References
    TRL, ppo_trainer.py: stop_token_id takes the place of the model's eos_token_id.
"""

from diagnostics.model.outcome import Severity
from diagnostics.model.setup import Setup
from diagnostics.rules.config.config_rule import ConfigRule
from diagnostics.rules.lists import joined
from diagnostics.rules.rule import NoLimits, Quiet, RuleResult, english


class PfStopToken(ConfigRule[NoLimits]):
    """Compares `stop_token_id` with the model's end tokens."""

    code = "PF605"
    name = "pf-stop-token"
    grade = "C"
    source = "TRL, ppo_trainer.py: stop_token_id takes the place of the model's eos_token_id"
    inputs = ("stop_token_id",)
    limits = NoLimits()
    texts = english(
        fired="{parameter} is {value}, and the model ends its answers with {ends}: they run on to the limit.",
        why="The model's own end token ends its answers.",
        unread="The model's end token is not known: its config.json was not found, or names none.",
        unread_enable="Name the model's folder.",
    )

    def applies(self, setup: Setup) -> bool:
        """Only where a token is named: else the model's own end counts."""
        return super().applies(setup) and setup.number("stop_token_id") is not None

    def check(self, setup: Setup, limits: NoLimits) -> RuleResult:
        setting, ends = setup.require("stop_token_id"), setup.model.eos_token_ids
        if not ends:
            return self.skipped("unread")
        if setting.number in ends:
            return Quiet(setting.number)
        return self.fired(Severity.WARNING, setting, suggested=ends[0], ends=joined(ends, "alternative"))
