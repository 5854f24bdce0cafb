"""The rollout engine and the trainer give the same tokens different probabilities, whatever was trained.

What it checks
    Each unit in which trainers log the distance of the two engines, against its own limits, as the median of five
    logged points, for three points: the mean factor between the probabilities, 1.05 a warning, 1.1 critical where harm
    is shown; their KL by the k3 estimate, 0.002 a note, 0.02 a warning; by the signed k1 estimate, 0.1 either way a
    warning; the mean difference of log-probabilities, 0.1 a warning. The worst is told. Probabilities are judged by
    `rollout-prob-mismatch`; a difference that has grown is told by `logp-diff-growing`, and one that came with the
    first updates by `engine-weights-stale`.

Why it matters
    Every batch is then off-policy before the first update, and the gradient is that of another policy. Limits belong to
    a unit: a KL of 0.02 is as far as a difference of 0.2.

When it is wrong
    Single batches with a few far tokens, which the median leaves out. Mixture-of-experts models and quantised engines
    lie higher, and may work with a correction all the same. A signed KL far above 0 is what top-k or top-p give.

What to try
    Use fp16 or a float32 head in both engines, turn off kernels that depend on the batch, correct by importance
    sampling. Sample without top-k and top-p. With a mixture of experts, replay the engine's routing.

References
    NeMo-RL, dtensor-tp-accuracy (1.05 suspect; its test suites stop at 1.1; gen_kl_error) · verl, rollout correction
    (a KL beyond 0.1) · slime, arguments (a difference of 0.1) · TRL issue 6789 and pull request 7269 (top-p).
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.model.series import Series
from diagnostics.rules.levels import Level, Reading, TooFew, read_levels
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import Over, Quiet, RuleResult, Skipped, english
from diagnostics.rules.run.engine_weights_stale import left_behind
from diagnostics.rules.run.logp_diff_growing import growth
from diagnostics.rules.run.run_rule import RunRule

SIGNED = "engine_kl_k1"
JUDGED = ("engine_probability_ratio_error", "engine_kl", SIGNED, "engine_logprob_difference")
"""The metrics with limits of their own, those that say most first."""


class Limits(RuleLimits):
    """How far apart two sound engines may be, in each unit."""

    factor: float = limit(1.05, "factor", "NeMo-RL, dtensor-tp-accuracy")
    factor_critical: float = limit(1.1, "factor", "NeMo-RL, its test suites")
    kl: float = limit(0.002, "nats/token", "NeMo-RL, its test suites: gen_kl_error")
    kl_warning: float = limit(0.02, "nats/token", "NeMo-RL, its test suites: gen_kl_error")
    signed_kl: float = limit(0.1, "nats/token", "verl documentation, rollout correction")
    logprob: float = limit(0.1, "nats/token", "slime, arguments")
    patience: int = limit(3, "logged points", "engineering default")

    def levels(self, metric: str) -> tuple[Level, ...]:
        """The levels of one of the metrics, mildest first."""
        of_metric = {
            "engine_probability_ratio_error": (
                (Severity.WARNING, self.factor),
                (Severity.CRITICAL, self.factor_critical),
            ),
            "engine_kl": ((Severity.INFO, self.kl), (Severity.WARNING, self.kl_warning)),
            SIGNED: ((Severity.WARNING, self.signed_kl),),
            "engine_logprob_difference": ((Severity.WARNING, self.logprob),),
        }
        return tuple(Level(severity, most, self.patience) for severity, most in of_metric[metric])


class EngineMismatch(RunRule[Limits]):
    """Judges the distance of the two engines, each unit by its own limits."""

    code = "RV807"
    name = "engine-mismatch"
    grade = "D"
    source = "NeMo-RL, dtensor-tp-accuracy; verl documentation, rollout correction; slime, arguments"
    inputs = (JUDGED,)
    limits = Limits()
    measures_distance = True
    over = Over.NEVER
    remedies = ("same-precision", "exact-head", "importance-correction", "routing-replay")
    texts = english(
        headline="The rollout engine and the trainer disagree about the same tokens.",
        fired="{title} was beyond {limit} {unit}{mostly} from step {first} to {last} (farthest {measured} at step "
        "{peak}){harm}.",
        told="engine-weights-stale or logp-diff-growing tells what is logged of the distance.",
        told_enable="Nothing is missing.",
    )

    def applies(self, run: Run) -> bool:
        """Only where it is logged: most trainers have a single engine and nothing to compare."""
        return super().applies(run) and not self.missing(run)

    def check(self, run: Run, limits: Limits) -> RuleResult:
        read = list(_readings(run, limits))
        if not read:
            return Skipped(self.message("told"), self.message("told_enable"), applies=False)
        known = [(series, reading) for series, reading in read if isinstance(reading, Reading)]
        if not known:
            return self.judged(read[0][1])
        series, worst = max(known, key=lambda pair: -1 if pair[1].severity is None else pair[1].severity.rank)
        return self._told(series, worst)

    def _told(self, series: Series, reading: Reading) -> RuleResult:
        """The finding in the logged numbers: a signed metric was judged by its size."""
        if reading.breach is None:
            return Quiet(reading.worst, reading.limit, series.unit, series.name, series.tag)
        peak = reading.breach.peak
        measured = float(series.values[peak])
        limit = float(np.copysign(reading.breach.level.limit, measured))
        return self.fired_by(series, reading, measured=measured, limit=limit, peak=int(series.steps[peak]))


def _readings(run: Run, limits: Limits) -> Iterator[tuple[Series, Reading | TooFew]]:
    """Each logged unit with what its limits say, without those that another rule tells."""
    for name in JUDGED:
        series = run.get(name)
        if series is not None and not _is_told_elsewhere(run, series):
            sized = replace(series, values=np.abs(series.values)) if name == SIGNED else series
            yield series, read_levels(sized, limits.levels(name))


def _is_told_elsewhere(run: Run, series: Series) -> bool:
    """Whether another rule tells this metric's distance: one that came with updates, or that has grown."""
    if series.name == SIGNED:
        return False
    grown = growth(run, series) if series.name == "engine_logprob_difference" else None
    has_grown = isinstance(grown, Reading) and grown.breach is not None
    return has_grown or left_behind(run, series) is not None
