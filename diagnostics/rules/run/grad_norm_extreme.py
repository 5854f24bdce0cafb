"""A gradient norm is enormous: one batch would have thrown the policy away, and clipping alone kept it.

What it checks
    The gradient norm before clipping, point by point: 1,000 or more is a warning, however steady the norm is otherwise.

Why it matters
    Clipping keeps such a step short, but its direction is that of one batch, in which a ratio, a reward or a KL was out
    of all proportion. Where the norm is not clipped, the weights are lost.

When it is wrong
    A loss that is summed over tokens instead of averaged has norms some hundred times as large.

What to try
    Read the samples and rewards of that step. Clip the gradient at 0.1 to 1, lower the learning rate, look at a KL
    term in the loss whose tokens have become very unlikely.

References
    Healthy trainings of TRL stay below 190 and public verl runs below 70 · a public GRPO log with a norm of 1,927
    beside a KL of 2 to 6 nats per token.
"""

from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.rules.levels import Level, read_levels
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import RuleResult, english
from diagnostics.rules.run.run_rule import RunRule, series_of


class Limits(RuleLimits):
    """Which norm no sound batch has."""

    warning: float = limit(1000.0, "norm", "five times the largest of healthy trainings of TRL")
    patience: int = limit(1, "logged points", "one such step is enough to lose a policy")


class GradNormExtreme(RunRule[Limits]):
    """Judges `grad_norm` by itself."""

    code = "RV112"
    name = "grad-norm-extreme"
    grade = "M"
    source = "healthy trainings of TRL and public verl runs stay below 200"
    inputs = ("grad_norm",)
    is_of_policies = True
    limits = Limits()
    measures_distance = True
    remedies = ("clipped-gradient", "lower-learning-rate", "checked-reward")
    texts = english(
        headline="A gradient norm is enormous.",
        fired="The gradient norm was up to {measured} (step {peak}); {limit} or more{mostly} from step {first} to "
        "{last}{harm}.",
        fired_once="The gradient norm was {measured} at step {first}{harm}.",
    )

    def check(self, run: Run, limits: Limits) -> RuleResult:
        level = Level(Severity.WARNING, limits.warning, limits.patience)
        return self.judged(read_levels(series_of(run, "grad_norm"), (level,), smooth=False))
