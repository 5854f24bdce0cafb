"""A stability metric went to zero and stays there: nothing is happening any more.

What it checks
    Value loss, KL to the reference, entropy and size of the update, against the median of logged points 11 to 30: 1 %
    of it or less, for 20 points in a row: a warning, for the value loss info. The size of the update is judged only
    while the learning rate is above a fifth of its peak.

Why it matters
    The documents name both directions: when these metrics diverge or collapse to 0, try tuning variables. A model with
    an entropy of 0 always says the same; one with updates of 0 no longer learns.

When it is wrong
    A value loss may become very small because the task is solved. An entropy at a tenth of its start is common in
    healthy runs and not judged here.

What to try
    Look at the rules that fired with it, at the reward, and at whether samples still differ.

References
    TRL logging page: stability parameters, "when these diverge or collapse to 0, try tuning variables".
"""

import dataclasses

import numpy as np

from diagnostics.detectors.averages import finite_points
from diagnostics.detectors.extremes import extreme
from diagnostics.model.algorithms import PPO_FAMILY
from diagnostics.model.alignment import last_known
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.model.series import Series
from diagnostics.rules.levels import Level, Reading, read_levels
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import Quiet, RuleResult, english
from diagnostics.rules.run.run_rule import RunRule, too_few

JUDGED = {
    "entropy_per_token": Severity.WARNING,
    "kl_per_sequence": Severity.WARNING,
    "approx_kl": Severity.WARNING,
    "value_loss": Severity.INFO,
}


class Limits(RuleLimits):
    """What counts as collapsed, against which stretch of the run."""

    share: float = limit(0.01, "of its own base", "engineering default")
    patience: int = limit(20, "logged points", "engineering default")
    warm_up: int = limit(10, "logged points", "engineering default")
    base: int = limit(20, "logged points", "engineering default")
    least_base: float = limit(1e-4, "the metric's unit", "below it a metric had not risen from 0 in the first place")
    learning_rate: float = limit(0.2, "of its peak", "a decayed learning rate makes small updates by design")


class StabilityMetricCollapsed(RunRule[Limits]):
    """Judges the stability parameters of the logging page for a collapse to 0."""

    code = "RV102"
    name = "stability-metric-collapsed"
    grade = "S"
    source = "TRL logging page: when these diverge or collapse to 0, try tuning variables"
    algorithms = PPO_FAMILY
    inputs = (tuple(JUDGED),)
    limits = Limits()
    remedies = ("checked-reward", "lower-learning-rate", "earlier-checkpoint")
    texts = english(
        headline="{title} has collapsed to 0.",
        fired="{title} ({tag}) {stayed} {limit}{mostly} from step {first} to {last}, {percent} % of what it was.",
    )

    def check(self, run: Run, limits: Limits) -> RuleResult:
        needed = limits.warm_up + limits.base + limits.patience
        logged = [series for name in JUDGED if (series := run.get(name)) is not None]
        readings = [reading for series in logged if (reading := _read(run, series, limits)) is not None]
        if not readings:
            return too_few(needed, max(finite_points(series.values) for series in logged))
        worst = max(readings, key=_urgency)
        if worst.breach is None:
            nearest = min(reading.worst / reading.limit for reading in readings)
            return Quiet(nearest * limits.share, limits.share, "of its own base")
        return self.judged(worst, percent=100 * limits.share)


def _read(run: Run, series: Series, limits: Limits) -> Reading | None:
    """The reading of one metric; None where it is too short or had no base to fall from."""
    early = series.values[limits.warm_up : limits.warm_up + limits.base]
    early = early[np.isfinite(early)]
    base = float(np.median(early)) if len(early) else 0.0
    if base < limits.least_base:
        return None
    size = dataclasses.replace(series, values=np.abs(series.values))
    if series.name == "approx_kl":
        size = _while_learning(run, size, limits.learning_rate)
    level = Level(JUDGED[series.name], limits.share * base, limits.patience)
    reading = read_levels(size, (level,), above=False, smooth=False, warm_up=limits.warm_up + limits.base)
    return reading if isinstance(reading, Reading) else None


def _while_learning(run: Run, series: Series, share: float) -> Series:
    """The series with NaN (not known) where the learning rate is not logged or below `share` of its peak."""
    rate = run.get("learning_rate")
    rates = np.full(len(series), np.nan) if rate is None else last_known(rate, series.steps)
    return dataclasses.replace(series, values=np.where(rates >= share * extreme(rates), series.values, np.nan))


def _urgency(reading: Reading) -> int:
    return reading.severity.rank if reading.severity else -1
