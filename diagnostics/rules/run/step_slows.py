"""Steps become slower than longer answers explain: something piles up, leaks or degrades.

What it checks
    Generation time, else step time, over what the tokens of the answers explain: seconds grow in proportion to the mean
    length from their level at the start. As the median of 50 logged points: 1.5 times the start is a warning.

Why it matters
    Nothing in training should make the same work slower. What grows is a cache, a log, a queue, fragments of memory, or
    a device that is throttled; it ends in a hang or out of memory.

When it is wrong
    Attention over long answers grows faster than their length; a shared machine may just be busier.

What to try
    Restart from the last checkpoint: if steps are fast again, something piles up in the process. Watch the memory.

References
    verl issue 2260: generation slows down and memory grows.
"""

from dataclasses import replace

import numpy as np

from diagnostics.detectors.averages import finite_points, start_level
from diagnostics.detectors.ratios import ratios
from diagnostics.detectors.rolling import rolling_median
from diagnostics.model.alignment import last_known
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.model.series import Series, Values
from diagnostics.rules.cadence import paced
from diagnostics.rules.levels import Level, read_levels
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import RuleResult, english
from diagnostics.rules.run.run_rule import series_of, too_few
from diagnostics.rules.run.speed_rule import SpeedRule, too_short

JUDGED = ("generation_time", "step_time")


class Limits(RuleLimits):
    """How much slower is too slow."""

    times: float = limit(1.5, "× what lengths explain", "engineering default")
    window: int = limit(50, "logged points", "engineering default")
    start: int = limit(20, "logged points", "engineering default")
    warm_up: int = limit(5, "logged points", "engineering default: compilation and caches")


class StepSlows(SpeedRule[Limits]):
    """Judges the time of generation, or of a step, against the length of the answers."""

    code = "RV917"
    name = "step-slows"
    grade = "F"
    source = "engineering default; verl issue 2260"
    inputs = (JUDGED, "length_mean")
    limits = Limits()
    remedies = ("earlier-checkpoint", "watched-memory")
    texts = english(
        headline="Steps become slower, and longer answers do not explain it.",
        fired="{title} rose to {measured} s at step {peak}, {times} × what the length of the answers explains (step "
        "{first} to {last}).",
        fired_once="{title} rose to {measured} s at step {peak}, {times} × what the length of the answers explains.",
    )

    def check(self, run: Run, limits: Limits) -> RuleResult:
        series = series_of(run, *JUDGED)
        limits = paced(limits, run, series, window=10, start=5, warm_up=1)
        if short := too_short(run.get("step_time") or series):
            return short
        needed = limits.warm_up + limits.start + limits.window
        if finite_points(series.values) < needed:
            return too_few(needed, finite_points(series.values))
        explained = _explained(series, last_known(series_of(run, "length_mean"), series.steps), limits)
        slower = rolling_median(ratios(series.values, explained), limits.window)
        level = Level(Severity.WARNING, limits.times, 1)
        reading = read_levels(replace(series, values=slower), (level,), smooth=False)
        return self.judged_in_unit(series, explained, reading, unit="× what lengths explain")


def _explained(series: Series, lengths: Values, limits: Limits) -> Values:
    """(N,) The seconds that the lengths explain: those of the start, in proportion to how long answers have become.

    Shorter answers explain no less time than at the start, because a step has fixed costs as well.
    """
    usual = start_level(series.values, limits.start, limits.warm_up)
    growth = ratios(lengths, np.full(len(lengths), start_level(lengths, limits.start, limits.warm_up)))
    return usual * np.maximum(growth, 1.0)
