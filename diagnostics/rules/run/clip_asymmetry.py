"""Nearly all clipping happens at the upper bound, while the entropy falls: the clip range throttles exploration.

What it checks
    The share of tokens clipped at 1 + epsilon_high is five times that clipped at 1 − epsilon and at least 0.01, for 20
    logged points, while the entropy has a falling trend over the last 50. It is never more than info.

Why it matters
    Per update a rare token may gain at most the upper clip range, while a frequent one is hardly held back. With equal
    ranges rare continuations die out.

When it is wrong
    An entropy that falls because the task is learned is healthy. Of 60 simulated healthy runs of 1000 points with
    equal bounds none fires.

What to try
    Raise the upper bound alone: `epsilon_high` 0.28 beside an epsilon of 0.2.

References
    DAPO (arXiv 2503.14476), clip-higher.
"""

from dataclasses import replace

import numpy as np

from diagnostics.detectors.trend import trend
from diagnostics.model.algorithms import GROUP_FAMILY
from diagnostics.model.alignment import at_common_steps
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.model.series import Series, Values
from diagnostics.rules.levels import Level, Reading, read_levels
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import Quiet, RuleResult, english
from diagnostics.rules.run.run_rule import RunRule, series_of, too_few


class Limits(RuleLimits):
    """What counts as one-sided."""

    times: float = limit(5.0, "× the share at the lower bound", "engineering default")
    share: float = limit(0.01, "fraction", "engineering default: below it clipping throttles nothing")
    patience: int = limit(20, "logged points", "engineering default")
    window: int = limit(50, "logged points", "engineering default")
    significance: float = limit(0.01, "probability", "engineering default; 2 false trends in 1000 steps of plain noise")


class ClipAsymmetry(RunRule[Limits]):
    """Judges `clip_ratio/high_mean` against `clip_ratio/low_mean`."""

    code = "RV207"
    name = "clip-asymmetry"
    grade = "P"
    source = "DAPO (arXiv 2503.14476), clip-higher"
    algorithms = GROUP_FAMILY
    inputs = ("clip_ratio_high_mean", "clip_ratio_low_mean", "entropy_per_token")
    limits = Limits()
    remedies = ("wider-clip-range",)
    texts = english(
        headline="The upper clip bound holds back what is rare, and the entropy falls.",
        fired="From step {first} to {last}{mostly} up to {measured} of the tokens were clipped at the upper bound and "
        "{low} at the lower, while the entropy fell.",
    )

    def check(self, run: Run, limits: Limits) -> RuleResult:
        pair = series_of(run, "clip_ratio_high_mean"), series_of(run, "clip_ratio_low_mean")
        high, low = at_common_steps(*pair)
        one_sided = _one_sided(high.values, low.values, limits.times)
        level = Level(Severity.INFO, limits.share, limits.patience)
        reading = read_levels(replace(high, values=one_sided), (level,), smooth=False)
        entropy = series_of(run, "entropy_per_token")
        if not isinstance(reading, Reading) or len(entropy) < limits.window:
            return too_few(max(limits.patience, limits.window), min(len(high), len(entropy)))
        if reading.breach is None or not _is_falling(entropy, limits):
            return Quiet(reading.worst, limits.share, high.unit, high.name, high.tag)
        return self.judged(reading, low=float(low.values[reading.breach.peak]))


def _one_sided(high: Values, low: Values, times: float) -> Values:
    """(N,) The share at the upper bound where it is far above the lower one, else 0; NaN where either is unknown."""
    return np.where(np.isnan(high) | np.isnan(low), np.nan, np.where(high >= times * low, high, 0.0))


def _is_falling(entropy: Series, limits: Limits) -> bool:
    found = trend(entropy.steps[-limits.window :], entropy.values[-limits.window :])
    return found is not None and found.slope < 0 and found.p < limits.significance
