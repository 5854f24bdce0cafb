"""Consecutive policies lie too far apart: the update left the region in which its samples are valid.

What it checks
    The approximate KL between the policy before and after an update (`policy/approxkl_avg`), as the median of five
    logged points: 0.03 nats per token for five points is a warning, 0.1 for three is critical where harm is shown, else
    a warning too. Where the score has risen since and keeps that, both are notes. The first five points are not judged.
    Below 0.1 ten points must also prove it: their geometric mean lies above the limit by three of its standard errors.
    A value that wavers about the limit has not passed it. Where only the mean of the log-ratio is logged (verl,
    OpenRLHF, slime), that is judged instead.

Why it matters
    This number moves first when updates are too large, while the mean ratio stays near 1 and the clip fraction may
    even fall, because a policy that has become deterministic is hardly clipped.

When it is wrong
    TRL averages over padding as well, which makes the number too small where answers are short: a quiet rule proves
    less there. Very small models tolerate larger updates than large ones. And half the mean square of the log-ratio is
    a KL only as long as ratios stay near 1: if the policy drops one token in fifty for good (a log-ratio of −3), that
    alone makes 0.1 in a policy that is otherwise unchanged and may well improve. So the size alone proves no harm. The
    mean of the log-ratio is a third to a sixth of it in real runs whose updates are too large, and has either sign in
    others: it shows only gross cases.

What to try
    Lower the learning rate, make fewer passes over the same samples, use a larger batch, whiten the rewards.

References
    TRL logging page: a ratio that is too high comes with a high policy/approxkl_avg · Schulman's target KL of 0.01
    and schedules that cut the learning rate above twice of it · openai/baselines issue 456.
"""

from diagnostics.detectors.proportions import CERTAIN
from diagnostics.model.algorithms import PPO_FAMILY
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.rules.levels import Level, Reading, read_levels, read_proven_levels
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import RuleResult, english
from diagnostics.rules.run.run_rule import RunRule, series_of
from diagnostics.rules.update_sizes import UPDATE_SIZES

SMALLEST = 1e-9  # nats per token: an update of 0 has no logarithm


class Limits(RuleLimits):
    """Which size of one update is too large."""

    warning: float = limit(
        0.03, "nats/token", "three times the classic target KL of 0.01; healthy public runs stay at 0.006"
    )
    critical: float = limit(0.1, "nats/token", "ten times the classic target KL of 0.01")
    lasting: int = limit(5, "logged points", "engineering default, for the warning")
    proof: int = limit(10, "logged points", "they know their own spread to within a quarter: 1 / √(2 · 9)")
    standard_errors: float = limit(
        CERTAIN,
        "standard errors of the mean logarithm",
        "ten updates just at the limit seem to be beyond it once in 134 times (Student's t, 9 degrees of freedom); "
        "by two errors once in 26, which a run of some hundred points would meet",
    )
    patience: int = limit(3, "logged points", "engineering default")
    warm_up: int = limit(5, "logged points", "the optimizer's first steps are its largest")


class UpdateTooLarge(RunRule[Limits]):
    """Judges `policy/approxkl_avg`, or else the k1 estimate of the same KL."""

    code = "RV202"
    name = "update-too-large"
    grade = "S"
    source = "TRL logging page: policy/clipfrac_avg and policy/approxkl_avg"
    algorithms = PPO_FAMILY
    inputs = (UPDATE_SIZES,)
    limits = Limits()
    measures_distance = True
    harmless_while_rising = True
    remedies = (
        "much-lower-learning-rate",
        "fewer-epochs",
        "restored-clip-range",
        "clipped-gradient",
        "whitened-rewards",
    )
    telling_samples = "any"
    texts = english(
        headline="Each update changes the policy too much.",
        fired="The size of the update {stayed} {limit} nats/token{mostly} from step {first} to {last} "
        "(peak {measured} at {peak}){harm}.",
    )

    def check(self, run: Run, limits: Limits) -> RuleResult:
        levels = (
            Level(Severity.WARNING, limits.warning, limits.lasting),
            Level(Severity.CRITICAL, limits.critical, limits.patience),
        )
        series = series_of(run, *UPDATE_SIZES)
        reading = read_levels(series, levels, warm_up=limits.warm_up)
        if isinstance(reading, Reading) and reading.severity is Severity.WARNING:
            reading = read_proven_levels(  # one update may be many times another
                series,
                levels[:1],
                warm_up=limits.warm_up,
                window=limits.proof,
                standard_errors=limits.standard_errors,
                smallest=SMALLEST,
            )
        return self.judged(reading)
