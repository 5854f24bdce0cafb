"""Consecutive policies lie too far apart: the update left the region in which its samples are to be trusted.

What it checks
    The approximate KL between the policy before and after an update (`policy/approxkl_avg`), as the median of five
    logged points: 0.03 nats per token for three points is a warning, 0.1 is critical. The first five points are not
    judged.

Why it matters
    This number moves first when updates are too large, while the mean ratio stays near 1 and the clip fraction may
    even fall, because a policy that has become deterministic is hardly clipped.

When it is wrong
    TRL averages over padding as well, which makes the number too small where answers are short: a quiet rule proves
    less there. Very small models bear larger updates than large ones.

What to try
    Lower the learning rate, make fewer passes over the same samples, use a larger batch, whiten the rewards.

References
    TRL logging page: a ratio that is too high comes with a high policy/approxkl_avg · Schulman's target KL of 0.01
    and schedules that cut the learning rate above twice of it · openai/baselines issue 456.
"""

from dataclasses import dataclass

from diagnostics.diagnosis import Severity
from diagnostics.rules.levels import Level, read_levels
from diagnostics.rules.rule import PPO_FAMILY, Finding, Rule, english, limit, series_of
from diagnostics.run import Run


@dataclass(frozen=True, slots=True)
class Limits:
    """Which size of one update is too large."""

    warning: float = limit(
        0.03, "nats/token", "three times the classic target KL of 0.01; healthy public runs stay at 0.006"
    )
    critical: float = limit(0.1, "nats/token", "ten times the classic target KL of 0.01")
    patience: int = limit(3, "logged points", "engineering default")
    warm_up: int = limit(5, "logged points", "the optimizer's first steps are its largest")


class UpdateTooLarge(Rule[Limits]):
    """Judges `policy/approxkl_avg`."""

    code = "RV202"
    name = "update-too-large"
    grade = "S"
    source = "TRL logging page: policy/clipfrac_avg and policy/approxkl_avg"
    algorithms = PPO_FAMILY
    inputs = ("approx_kl",)
    limits = Limits()
    remedies = (
        "much-lower-learning-rate",
        "fewer-epochs",
        "restored-clip-range",
        "clipped-gradient",
        "whitened-rewards",
    )
    exhibits = "any"
    texts = english(
        headline="Each update changes the policy too much.",
        fired="The size of the update stayed above {limit} nats/token from step {first} to {last} "
        "(peak {measured} at {peak}).",
    )

    def check(self, run: Run, limits: Limits) -> Finding:
        levels = (
            Level(Severity.WARNING, limits.warning, limits.patience),
            Level(Severity.CRITICAL, limits.critical, limits.patience),
        )
        return self.judged(read_levels(series_of(run, "approx_kl"), levels, warm_up=limits.warm_up))
