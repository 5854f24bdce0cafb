"""Padding and the end of an answer are the same token, so that true ends may be masked as padding.

What it checks
    For PPO: whether the model's padding token is one of its end tokens.

Why it matters
    Where padding is masked by its token, true ends are masked too. The policy is then never rewarded for ending, and
    its answers grow.

When it is wrong
    Trainers that mask by position, after the first end token, are not affected.

What to try
    Add a padding token of its own.

References
    The N+ Implementation Details of RLHF with PPO (arXiv 2403.17031).
"""

from diagnostics.model.algorithms import PPO_FAMILY
from diagnostics.model.outcome import Severity
from diagnostics.model.setup import Setup
from diagnostics.rules.config.config_rule import ConfigRule
from diagnostics.rules.rule import Fired, NoLimits, Quiet, RuleResult, english


class PfPadEos(ConfigRule[NoLimits]):
    """Compares the model's padding and end tokens."""

    code = "PF603"
    name = "pf-pad-eos"
    grade = "P"
    source = "The N+ Implementation Details of RLHF with PPO (arXiv 2403.17031)"
    inputs = ()
    algorithms = PPO_FAMILY
    limits = NoLimits()
    texts = english(
        fired="The model's pad_token_id and eos_token_id are both {token}: the end of an answer may be masked as "
        "padding.",
        unread="The model's padding and end tokens are not known: its config.json was not found, or names none.",
        unread_enable="Name the model's folder.",
    )

    def check(self, setup: Setup, limits: NoLimits) -> RuleResult:
        pad, ends = setup.model.pad_token_id, setup.model.eos_token_ids
        if pad is None or not ends:
            return self.skipped("unread")
        if pad not in ends:
            return Quiet()
        return Fired(
            Severity.WARNING,
            self.message("fired", token=pad),
            measured=float(pad),
            parameters=(setup.parameter("model"),),
        )
