"""Many passes over the same answers move the policy far from the one that wrote them.

What it checks
    Whether a batch is used for more than four passes, or one generation for more than 16 updates.

Why it matters
    With each update the policy moves away from the one that wrote the answers, so what is learned gets more
    off-policy. In Skywork-OR1 that made entropy collapse faster.

When it is wrong
    Clipping and importance sampling bound the drift. Small learning rates allow more passes.

What to try
    Use four passes or fewer; generate more often.

References
    Engineering default · TRL PPOConfig: num_ppo_epochs 4 · Skywork-OR1 (arXiv 2505.22312).
"""

from diagnostics.model.outcome import Severity
from diagnostics.model.setup import Setup
from diagnostics.rules.config.config_rule import ConfigRule
from diagnostics.rules.config.updates import updates_per_generation
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import Quiet, RuleResult, english


class Limits(RuleLimits):
    """How often the same answers may be used."""

    passes: int = limit(4, "passes", "TRL PPOConfig: num_ppo_epochs 4")
    updates: int = limit(16, "updates of one generation", "engineering default")


class PfEpochs(ConfigRule[Limits]):
    """Judges the passes over a batch and the updates of a generation."""

    code = "PF202"
    name = "pf-epochs"
    grade = "F"
    source = "engineering default; Skywork-OR1 (arXiv 2505.22312): more off-policy, faster collapse of entropy"
    inputs = ("epochs",)
    limits = Limits()
    texts = english(
        fired="{parameter} is {value}{origin}: more than {limit} passes over the same answers.",
        updates="{parameter} is {value}: one generation is used for {updates} updates, more than {limit}.",
        why="Fewer passes let the policy move less before it writes new answers.",
    )

    def check(self, setup: Setup, limits: Limits) -> RuleResult:
        setting = setup.require("epochs")
        passes = setting.number or 1.0
        if passes > limits.passes:
            return self.fired(Severity.WARNING, setting, suggested=int(limits.passes), limit=limits.passes)
        steps, updates = setup.get("steps_per_generation"), updates_per_generation(setup)
        if steps is not None and updates > limits.updates:
            return self.fired(
                Severity.WARNING,
                steps,
                key="updates",
                measured=updates,
                limit=limits.updates,
                updates=f"{updates:g}",
            )
        return Quiet(passes, limits.passes, "passes")
