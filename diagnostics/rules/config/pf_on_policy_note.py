"""Each generation is used for one update: the probability ratio is 1, and clipping does nothing.

What it checks
    Whether each generation is used for exactly one update. A note.

Why it matters
    At the first update the old log-probabilities are the current ones, so the ratio is 1, nothing is clipped and the
    clip range has no effect. Clip metrics of 0 are then right.

When it is wrong
    A rollout engine whose log-probabilities count as the old ones makes the ratio differ from 1 all the same.

What to try
    Nothing has to change. More updates per generation save generations and make clipping matter.

References
    TRL, grpo_trainer.py: the old log-probabilities are the current ones at the first update.
"""

from diagnostics.model.algorithms import PPO_FAMILY
from diagnostics.model.outcome import Severity
from diagnostics.model.setup import Setup
from diagnostics.rules.config.config_rule import ConfigRule
from diagnostics.rules.config.updates import updates_per_generation
from diagnostics.rules.rule import NoLimits, Quiet, RuleResult, english


class PfOnPolicyNote(ConfigRule[NoLimits]):
    """Counts the updates of one generation."""

    code = "PF203"
    name = "pf-on-policy-note"
    grade = "C"
    source = "TRL, grpo_trainer.py: the old log-probabilities are the current ones at the first update"
    inputs = ("epochs",)
    limits = NoLimits()
    texts = english(
        fired="Each generation is used for one update only, so the clip metrics will be 0 and {clip} does not "
        "matter. That is no fault.",
    )

    def check(self, setup: Setup, limits: NoLimits) -> RuleResult:
        epochs = setup.require("epochs")
        updates = (epochs.number or 1.0) * (setup.number("num_mini_batches") or 1.0)
        updates *= 1.0 if setup.algorithm in PPO_FAMILY else updates_per_generation(setup) / (epochs.number or 1.0)
        if updates > 1:
            return Quiet(updates, 1.0, "updates")
        return self.fired(Severity.INFO, epochs, measured=updates, limit=1.0, clip=setup.parameter("epsilon"))
