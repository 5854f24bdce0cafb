"""Nothing holds the policy near the reference model.

What it checks
    Whether the KL penalty is 0: a warning with a learned reward model, else a note.

Why it matters
    Nothing holds the policy near the reference. Against a learned reward model it will find what the model likes by
    mistake, and the KL that would show it is not logged.

When it is wrong
    Where answers are checked for being right there is less to exploit, and many train without a penalty. Early
    stopping and small learning rates bound the drift as well.

What to try
    Set a small weight: 0.05 for PPO, 0.04 for GRPO.

References
    Gao et al. 2022 (arXiv 2210.10760) · Secrets of RLHF I (arXiv 2307.04964).
"""

from diagnostics.model.algorithms import PPO_FAMILY
from diagnostics.model.outcome import Severity
from diagnostics.model.setup import Setup
from diagnostics.rules.config.config_rule import ConfigRule
from diagnostics.rules.rule import NoLimits, Quiet, RuleResult, english

PPO_WEIGHT = 0.05  # TRL PPOConfig
GRPO_WEIGHT = 0.04  # TRL GRPOConfig up to 0.18


class PfKlOff(ConfigRule[NoLimits]):
    """Judges the weight of the KL penalty."""

    code = "PF306"
    name = "pf-kl-off"
    grade = "P"
    source = "Gao et al. 2022 (arXiv 2210.10760); Secrets of RLHF I (arXiv 2307.04964)"
    inputs = ("kl_weight",)
    limits = NoLimits()
    texts = english(
        fired="{parameter} is {value}{origin} with a learned reward: nothing holds the policy back from what the "
        "reward likes by mistake.",
        verified="{parameter} is {value}{origin}: no KL to the reference, and none is logged. Usual where answers "
        "are checked; with a learned reward it invites over-optimisation.",
        why="A small penalty holds the policy near the reference, and lets its KL be seen.",
    )

    def check(self, setup: Setup, limits: NoLimits) -> RuleResult:
        if setup.kl_weight != 0:
            return Quiet(setup.kl_weight)
        is_learned = setup.learns_from_a_model is True
        return self.fired(
            Severity.WARNING if is_learned else Severity.INFO,
            setup.require("kl_weight"),
            key="fired" if is_learned else "verified",
            suggested=PPO_WEIGHT if setup.algorithm in PPO_FAMILY else GRPO_WEIGHT,
            measured=0.0,
        )
