"""The rollout engine and the trainer disagree about the probability of the same tokens.

What it checks
    The mean absolute difference of a sampled token's probability in the two engines, as the median of five logged
    points, for three points: above 0.005 is info, above 0.01 is a warning, above 0.03 is critical
    where harm is shown. A difference that came within three updates is told by `engine-weights-stale`.

Why it matters
    Answers then come from a policy other than the one being trained: every batch is unintentionally off-policy.

When it is wrong
    Mixture-of-experts models and quantised engines lie higher and may work with importance sampling all the same.

What to try
    Turn off the engine's cascade attention, use fp16 or a float32 head, correct by importance sampling.

References
    verl documentation, FAQ (0.005 and 0.01).
"""

from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.rules.levels import Level, read_levels
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import Over, RuleResult, Skipped, english
from diagnostics.rules.run.engine_weights_stale import left_behind
from diagnostics.rules.run.run_rule import RunRule, series_of


class Limits(RuleLimits):
    """How far apart the engines may be."""

    info: float = limit(0.005, "probability", "verl documentation, FAQ")
    warning: float = limit(0.01, "probability", "verl documentation, FAQ")
    critical: float = limit(0.03, "probability", "engineering default")
    patience: int = limit(3, "logged points", "engineering default")


class RolloutProbMismatch(RunRule[Limits]):
    """Judges the difference of the two engines' probabilities."""

    code = "RV801"
    name = "rollout-prob-mismatch"
    grade = "D"
    source = "verl documentation, FAQ: rollout_probs_diff_mean"
    inputs = ("engine_probability_difference",)
    limits = Limits()
    measures_distance = True
    over = Over.NEVER
    remedies = (
        "importance-correction",
        "exact-head",
    )
    texts = english(
        headline="The rollout engine and the trainer disagree.",
        fired="The two engines' probabilities differed by more than {limit}{mostly} from step {first} to {last} (peak "
        "{measured} at step {peak}){harm}.",
        told="engine-weights-stale tells that the difference came within a few updates.",
        told_enable="Nothing is missing.",
    )

    def applies(self, run: Run) -> bool:
        """Only where it is logged: most trainers have a single engine and nothing to compare."""
        return super().applies(run) and not self.missing(run)

    def check(self, run: Run, limits: Limits) -> RuleResult:
        series = series_of(run, "engine_probability_difference")
        if left_behind(run, series) is not None:
            return Skipped(self.message("told"), self.message("told_enable"), applies=False)
        levels = (
            Level(Severity.INFO, limits.info, limits.patience),
            Level(Severity.WARNING, limits.warning, limits.patience),
            Level(Severity.CRITICAL, limits.critical, limits.patience),
        )
        return self.judged(read_levels(series, levels))
