"""Dropout stays on: the same weights give other probabilities each time they are asked.

What it checks
    Whether the model has dropout that stays on, while a KL penalty compares it with a reference or a generation is
    used for more than one update.

Why it matters
    With dropout the same weights give other probabilities each time. The KL at the first step is not 0, and ratios
    are not 1 although nothing has moved.

When it is wrong
    Models with a dropout of 0, which is most recent ones, are not affected.

What to try
    Set `disable_dropout` to True.

References
    TRL GRPOConfig: disable_dropout · TRL issue 3500.
"""

from diagnostics.language import N_
from diagnostics.model.outcome import Severity
from diagnostics.model.setup import Setup
from diagnostics.rules.config.config_rule import ConfigRule
from diagnostics.rules.config.updates import updates_per_generation
from diagnostics.rules.rule import NoLimits, Quiet, RuleResult, english


class PfDropout(ConfigRule[NoLimits]):
    """Judges `disable_dropout` for a model that has dropout."""

    code = "PF206"
    name = "pf-dropout"
    grade = "D"
    source = "TRL GRPOConfig: disable_dropout; TRL issue 3500"
    inputs = ("disable_dropout",)
    limits = NoLimits()
    texts = english(
        fired="The model has dropout of {dropout} and {parameter} is {value}{origin}: {compared} of the same weights "
        "differ.",
        unread="Whether the model has dropout is not known: its config.json was not found.",
        unread_enable="Name the model's folder.",
        why="Without dropout the same weights give the same probabilities.",
    )

    def check(self, setup: Setup, limits: NoLimits) -> RuleResult:
        setting, dropout = setup.require("disable_dropout"), setup.model.dropout
        if setting.is_on:
            return Quiet(0.0)
        if dropout is None:
            return self.skipped("unread")
        compares = bool(setup.kl_weight) or updates_per_generation(setup) > 1
        if dropout <= 0 or not compares:
            return Quiet(dropout)
        compared = N_("policy and reference") if setup.kl_weight else N_("the probabilities")
        return self.fired(
            Severity.WARNING, setting, suggested=True, measured=dropout, dropout=f"{dropout:g}", compared=compared
        )
