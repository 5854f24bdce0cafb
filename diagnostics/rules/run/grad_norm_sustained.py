"""The gradient norm has risen and stays up: the loss is leaving the region in which it was stable.

What it checks
    The gradient norm, as the median of five logged points, against its own median of up to 50 points ending five
    earlier: three times as much for five points, from a median of more than 0.01, is a warning. The first 50 points are
    not judged. It is info where the score rose or held since, and critical where the entropy explodes or collapses, or
    the two engines drift apart, and harm is shown.

Why it matters
    A norm that keeps growing often comes before a collapse: the rollout engine and the trainer disagree, the entropy
    explodes, or the learning rate is too high.

When it is wrong
    A new level becomes the normal one after some 50 points. Of 120 simulated healthy runs of 1000 points none fires up
    to an autocorrelation of 0.7 or with heavy tails (t₃); one does at 0.9.

What to try
    Lower the learning rate, clip the gradient at 0.1 to 1. With a separate rollout engine look at the difference of
    its log-probabilities.

References
    verl FAQ: a gradient norm that continuously increases points to a mismatch of inference and training · verl issue
    1066.
"""

from dataclasses import replace

import numpy as np

from diagnostics.detectors.rolling import points_before_baseline, times_own_past
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.rules.cadence import paced
from diagnostics.rules.levels import Level, read_levels
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import RuleResult, english
from diagnostics.rules.run.run_rule import RunRule, series_of


class Limits(RuleLimits):
    """Which rise is too much, and what it is compared with."""

    warning: float = limit(3.0, "× its own median", "measured: no alarm on three healthy public runs")
    patience: int = limit(5, "logged points", "measured on three healthy public runs")
    window: int = limit(50, "logged points", "measured on three healthy public runs")
    shift: int = limit(5, "logged points", "engineering default")
    fewest: int = limit(20, "logged points", "engineering default")
    warm_up: int = limit(50, "logged points", "gradients are largest and least steady at the start")
    smallest: float = limit(0.01, "norm", "a norm of nearly 0, where no group differs, rises when learning starts")


class GradNormSustained(RunRule[Limits]):
    """Judges `grad_norm` against its own past."""

    code = "RV105"
    name = "grad-norm-sustained"
    grade = "D"
    source = "verl FAQ: grad_norm continuously increasing"
    inputs = ("grad_norm",)
    is_of_policies = True
    limits = Limits()
    measures_distance = True
    harmless_alone = True
    graver_with = ("entropy-explosion", "entropy-collapse", "logp-diff-growing")
    remedies = ("lower-learning-rate", "clipped-gradient", "fewer-epochs")
    texts = english(
        headline="The gradient norm has risen and stays up.",
        fired="The gradient norm was far above its own median{mostly} from step {first} to {last}: up to {measured} at "
        "step {peak}, {compared} the one before{harm}.",
    )

    def check(self, run: Run, limits: Limits) -> RuleResult:
        series = series_of(run, "grad_norm")
        limits = paced(limits, run, series, patience=3, window=10, shift=2, fewest=5, warm_up=5)
        times, base = times_own_past(series.values, limits.window, limits.shift, limits.fewest, limits.smallest)
        times = np.where(base > limits.smallest, times, np.minimum(times, 1.0))
        level = Level(Severity.WARNING, limits.warning, limits.patience)
        warm_up = max(limits.warm_up, points_before_baseline(limits.shift, limits.fewest))
        reading = read_levels(replace(series, values=times), (level,), warm_up=warm_up)
        return self.judged_in_unit(series, base, reading, smallest=limits.smallest)
