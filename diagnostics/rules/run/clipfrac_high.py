"""Many policy updates are clipped: the ratio tries to leave the clip range.

What it checks
    The share of clipped tokens (`policy/clipfrac_avg`), as the median of five logged points: 0.3 for three points
    is a warning, 0.5 is critical where harm is shown. The first ten points are not judged.

Why it matters
    A clipped token gives no gradient, so that share of the batch is lost, and the clipped share shows how far the
    policy tried to jump.

When it is wrong
    A low clip fraction does not prove health: it rises with the learning rate and falls again once the policy has
    become deterministic. Read it together with `update-too-large`. In classic control 0.1 to 0.3 is normal; for
    language models 0.001 to 0.01 is.

What to try
    If updates are large as well, lower the learning rate or make fewer passes. If they are small, widen the clip range.

References
    TRL logging page: if the ratio is too high, it gets clipped, resulting in a high policy/clipfrac_avg.
"""

from diagnostics.model.algorithms import PPO_FAMILY
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.rules.levels import Level, read_levels
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import RuleResult, english
from diagnostics.rules.run.run_rule import RunRule, series_of


class Limits(RuleLimits):
    """Which share of clipped tokens is too high."""

    warning: float = limit(0.3, "fraction", "engineering default: upper end of what is normal in classic control")
    critical: float = limit(0.5, "fraction", "engineering default: most of the batch gives no gradient")
    patience: int = limit(3, "logged points", "engineering default")
    warm_up: int = limit(10, "logged points", "the optimizer's first steps are its largest")


class ClipfracHigh(RunRule[Limits]):
    """Judges `policy/clipfrac_avg`."""

    code = "RV203"
    name = "clipfrac-high"
    grade = "S"
    source = "TRL logging page: policy/clipfrac_avg and policy/approxkl_avg"
    algorithms = PPO_FAMILY
    inputs = ("clip_fraction",)
    limits = Limits()
    measures_distance = True
    remedies = ("lower-learning-rate", "fewer-epochs", "clipped-gradient")
    texts = english(
        headline="Most of what the updates want is clipped away.",
        fired="The share of clipped tokens {stayed} {limit}{mostly} from step {first} to {last} "
        "(peak {measured} at {peak}){harm}.",
    )

    def check(self, run: Run, limits: Limits) -> RuleResult:
        levels = (
            Level(Severity.WARNING, limits.warning, limits.patience),
            Level(Severity.CRITICAL, limits.critical, limits.patience),
        )
        return self.judged(read_levels(series_of(run, "clip_fraction"), levels, warm_up=limits.warm_up))
