"""What is thrown away as too old are the long answers: the policy trains on shorter ones than it writes.

What it checks
    The mean length of the completions that are trained on against that of the generated ones, both as the mean of ten
    logged points, where at least 0.05 of the samples are thrown away: below 0.9 times as long is a warning.

Why it matters
    Long answers take longest to generate, so they are the first to be too old. The policy then learns from the short
    ones alone, and becomes shorter without any reward for it.

When it is wrong
    Where long answers are thrown away on purpose, as overlong, the same numbers are meant.

What to try
    Let fewer samples be generated ahead, or raise the bound of their age: a few stale answers do less harm than a
    missing kind.

References
    tinker-cookbook issue 822.
"""

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from diagnostics.detectors.rolling import rolling_mean
from diagnostics.model.alignment import at_common_steps
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.model.series import Values
from diagnostics.rules.levels import Level, TooFew, read_levels
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import Quiet, RuleResult, english
from diagnostics.rules.run.run_rule import RunRule, series_of, too_few


class Limits(RuleLimits):
    """How much shorter the trained completions may be."""

    share: float = limit(0.9, "of the generated length", "engineering default")
    dropped: float = limit(0.05, "fraction", "the first level of samples-stale")
    window: int = limit(10, "logged points", "engineering default: drops come in bursts")


class DropsBiasLength(RunRule[Limits]):
    """Judges the trained length against the generated one, where samples are dropped."""

    code = "RV810"
    name = "drops-bias-length"
    grade = "F"
    source = "engineering default; tinker-cookbook issue 822"
    inputs = ("trained_length_mean", "length_mean", "dropped_fraction")
    limits = Limits()
    remedies = ("less-ahead", "sync-every-step")
    texts = english(
        headline="The samples that are thrown away are the long ones.",
        fired="What was trained on was down to {percent} % as long as what was generated ({measured} tokens at step "
        "{peak}, {generated} generated), from step {first} to {last}, while {dropped} % of the samples were "
        "thrown away.",
    )

    def applies(self, run: Run) -> bool:
        """Only where the length of what is trained on is logged: elsewhere nothing is dropped."""
        return super().applies(run) and run.get("trained_length_mean") is not None

    def check(self, run: Run, limits: Limits) -> RuleResult:
        series = at_common_steps(*(series_of(run, str(name)) for name in self.inputs))
        trained, generated, dropped = (rolling_mean(item.values, limits.window) for item in series)
        relative = _relative(trained, generated, dropped >= limits.dropped)
        reading = read_levels(
            replace(series[0], values=relative), (Level(Severity.WARNING, limits.share, 1),), above=False, smooth=False
        )
        if isinstance(reading, TooFew):
            return too_few(limits.window, int(series[0].finite.sum()))
        if reading.breach is None:
            return Quiet(reading.worst, limits.share, "× the generated length", series[0].name, series[0].tag)
        peak = reading.breach.peak
        told = replace(reading, series=replace(series[0], values=trained))
        return self.fired_by(
            told.series,
            told,
            measured=float(trained[peak]),
            limit=limits.share * float(generated[peak]),
            peak=int(series[0].steps[peak]),
            generated=float(generated[peak]),
            percent=100 * float(relative[peak]),
            dropped=100 * float(dropped[peak]),
        )


def _relative(trained: Values, generated: Values, drops: npt.NDArray[np.bool_]) -> Values:
    """(N,) The trained length over the generated one, 1 where hardly anything is dropped; NaN where unknown."""
    known = np.isfinite(trained) & np.isfinite(generated)
    share = np.where(known, trained, 1.0) / np.maximum(np.where(known, generated, 1.0), 1.0)
    return np.where(known, np.where(drops, share, 1.0), np.nan)
