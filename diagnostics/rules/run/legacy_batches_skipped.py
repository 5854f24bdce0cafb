"""TRL's old PPOTrainer threw whole batches away: their loss is exactly 0.

What it checks
    Steps at which policy loss and value loss are both exactly 0. One is a warning; more than a tenth of the logged
    points is critical.

Why it matters
    The old trainer sets all losses of a mini-batch to 0 when its mean ratio passes `ratio_threshold` (10). It says so
    once, in the console. Nothing is learned from such a batch, and the update that caused it was far too large.

When it is wrong
    Never: two losses are not exactly 0 by chance.

What to try
    Lower the learning rate, make fewer passes over a batch, and sample without top-k, top-p and minimum length.

References
    TRL 0.9.6, PPOTrainer.loss: "average ratio of batch … exceeds threshold" · TRL issue 1857.
"""

import numpy as np

from diagnostics.detectors.episodes import Episode
from diagnostics.model.alignment import at_common_steps
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import Quiet, RuleResult, english
from diagnostics.rules.run.run_rule import RunRule, series_of


class Limits(RuleLimits):
    """How many batches may be thrown away."""

    points: int = limit(1, "logged points", "each is a batch without effect")
    share: float = limit(0.1, "of the logged points", "engineering default")
    fewest: int = limit(10, "logged points", "fewer make no share")


class LegacyBatchesSkipped(RunRule[Limits]):
    """Judges `ppo/loss/policy` and `ppo/loss/value` together."""

    code = "RV107"
    name = "legacy-batches-skipped"
    grade = "C"
    source = "TRL 0.9.6 PPOTrainer: ratio_threshold; TRL issue 1857"
    algorithms = frozenset({"ppo-legacy"})
    inputs = ("policy_loss", "value_loss")
    limits = Limits()
    remedies = ("much-lower-learning-rate", "fewer-epochs", "no-top-k", "no-top-p", "free-end")
    texts = english(
        headline="Whole batches were thrown away because the ratio passed ratio_threshold.",
        fired="{count} of {points} logged points between step {first} and {last} have losses of exactly 0: TRL skips a "
        "batch whose mean ratio passes ratio_threshold.",
        fired_once="The losses of step {first} are exactly 0: TRL skips a batch whose mean ratio passes "
        "ratio_threshold.",
    )

    def applies(self, run: Run) -> bool:
        """Only the old trainer does this; other trainers' zeros mean something else."""
        return run.algorithm in self.algorithms

    def check(self, run: Run, limits: Limits) -> RuleResult:
        policy, value = at_common_steps(series_of(run, "policy_loss"), series_of(run, "value_loss"))
        skipped = np.flatnonzero((policy.values == 0) & (value.values == 0))
        if len(skipped) < limits.points:
            return Quiet(float(len(skipped)), float(limits.points), "points", policy.name, policy.tag)
        is_often = len(policy) >= limits.fewest and len(skipped) > limits.share * len(policy)
        first, last = int(skipped[0]), int(skipped[-1])
        return self.fired(
            policy,
            Episode(first, last, still=last == len(policy) - 1),
            Severity.CRITICAL if is_often else Severity.WARNING,
            measured=0.0,
            limit=None,
            count=len(skipped),
            points=len(policy),
        )
