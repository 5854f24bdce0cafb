"""Single gradient norms stand far out: one batch pulled much harder than the others.

What it checks
    The logarithm of the gradient norm against the 50 logged points before it, in robust deviations: one point at
    six, or three of five points at four. It must also be five times the median of those points. The first 20 points
    are not judged.

Why it matters
    One odd batch, say with a reward out of scale, can undo many good steps where the gradient is not clipped.

When it is wrong
    The norm is logged before clipping, and healthy public runs have such points, up to ten times their median: it is
    never more than info. Of 60 simulated healthy runs of 1000 points none has one with log-normal noise, 44 have one
    with heavy tails (t₃).

What to try
    Nothing, if it stays alone and `max_grad_norm` is set. Otherwise inspect the rewards of that step.

References
    TRL issue 2980 (spikes while the reward rises) · three public verl runs (single points at 10 to 30 times the
    median).
"""

import dataclasses

import numpy as np

from diagnostics.detectors.averages import finite_points
from diagnostics.detectors.rolling import reached_by, robust_z, times_own_past
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.model.series import Series, Values
from diagnostics.rules.levels import Level, Reading, read_levels
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import RuleResult, english
from diagnostics.rules.run.run_rule import RunRule, series_of, too_few

SMALLEST_NORM = 1e-12  # a norm of 0 has no logarithm


class Limits(RuleLimits):
    """How far from its past a norm must lie."""

    single: float = limit(6.0, "robust deviations", "simulated: no false alarm in 1000 points of normal noise")
    repeated: float = limit(4.0, "robust deviations", "engineering default")
    repeats: int = limit(3, "logged points", "simulated: three of five hardly ever happen by chance")
    among: int = limit(5, "logged points", "simulated: three of five hardly ever happen by chance")
    times: float = limit(5.0, "× its own median", "engineering default: below it clipping at 1.0 hides the point")
    window: int = limit(50, "logged points", "measured on three healthy public runs")
    fewest: int = limit(20, "logged points", "fewer give no deviation to trust")
    floor: float = limit(0.05, "of the norm, as a logarithm", "rounded metrics have a deviation of 0")


class GradNormSpike(RunRule[Limits]):
    """Judges `grad_norm` point by point."""

    code = "RV104"
    name = "grad-norm-spike"
    grade = "M"
    source = "measured on three healthy public runs; TRL issue 2980"
    inputs = ("grad_norm",)
    is_of_policies = True
    limits = Limits()
    remedies = ("clipped-gradient", "checked-reward")
    texts = english(
        headline="One batch gave a gradient far larger than the others.",
        fired="The gradient norm stood far out{mostly} from step {first} to {last}: up to {measured} at step {peak}, "
        "{compared} the median of the points before.",
        fired_once="The gradient norm was {measured} at step {first}, {compared} the median of the points before.",
    )

    def check(self, run: Run, limits: Limits) -> RuleResult:
        series = series_of(run, "grad_norm")
        logarithms = np.log(np.maximum(series.values, SMALLEST_NORM))
        if (points := finite_points(series.values)) <= limits.fewest:
            return too_few(limits.fewest + 1, points)
        scores = robust_z(logarithms, limits.window, limits.fewest, limits.floor)
        times, base = times_own_past(series.values, limits.window, 1, limits.fewest, SMALLEST_NORM)
        scores = _where_high(times, scores, limits.times)
        reading = read_levels(_with_values(series, scores), (Level(Severity.INFO, limits.single, 1),), smooth=False)
        if isinstance(reading, Reading) and reading.breach is None:
            repeated = _with_values(series, reached_by(scores, limits.repeats, limits.among))
            several = read_levels(repeated, (Level(Severity.INFO, limits.repeated, 1),), smooth=False)
            reading = several if isinstance(several, Reading) and several.breach else reading
        return self.judged_in_unit(
            series, base, reading, limit=limits.times, unit="robust deviations", smallest=SMALLEST_NORM
        )


def _with_values(series: Series, values: Values) -> Series:
    return dataclasses.replace(series, values=values)


def _where_high(times: Values, scores: Values, least: float) -> Values:
    """(N,) The scores, capped at 0 where the norm is not many times its own median."""
    return np.where(times >= least, scores, np.minimum(scores, 0.0))
