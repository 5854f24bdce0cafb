"""The KL to the reference grows ever faster: the policy is departing, and gibberish usually follows.

What it checks
    The KL per token, as the median of five logged points, against its own median of up to 50 points ending five
    earlier: three times as much for five points, and at least 0.2 nats per token (10 per sequence, where answers have
    up to 64 tokens), is critical where harm is shown, else a warning. The five points must prove it together: their
    geometric mean lies above three times by three of its standard errors. The first 60 steps are not judged. A KL per
    sequence is divided by the mean length, or by the length limit where that is not logged.

Why it matters
    A KL that triples within some 30 points is not drift. In public reports the reward crashed shortly after, and the
    text was no longer language.

When it is wrong
    At the healthy start of a run the KL grows from 0 and reaches any factor soon: hence the warm-up and the floor.
    Where only the length limit is known, the KL per token comes out too small. Rows of a k3 estimate that differ a
    hundredfold tell of single tokens, and of no departure. Of 120 simulated healthy runs of 1000 points none fires up
    to an autocorrelation of 0.95 or with heavy tails (t₃).

What to try
    Stop, go back to an earlier checkpoint, divide the learning rate by five, strengthen the KL penalty. Read the
    samples.

References
    TRL issues 41 ("MASSIVE spike in KL", the reward crashes), 204 · verl runs on GSM8K end at 0.12 to 0.31 nats per
    token.
"""

import math
from dataclasses import replace

import numpy as np

from diagnostics.detectors.averages import start_level
from diagnostics.detectors.rolling import points_before_baseline, times_own_past
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.model.series import Values
from diagnostics.rules.cadence import paced
from diagnostics.rules.lengths import kl_lengths
from diagnostics.rules.levels import Level, read_proven_levels
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import RuleResult, Skipped, english
from diagnostics.rules.run.run_rule import RunRule


class Limits(RuleLimits):
    """Which growth is a departure."""

    times: float = limit(3.0, "× its own median", "measured: no alarm on three healthy public runs")
    least: float = limit(0.2, "nats/token", "TRL training FAQ: up to 10 nats, over about 50 tokens")
    per_sequence: float = limit(10.0, "nats/sequence", "TRL training FAQ: between 0 and 10")
    short_answer: float = limit(64.0, "tokens", "the FAQ's own examples generate up to 32 tokens")
    patience: int = limit(
        5, "logged points", "simulated: three are reached once in 60,000 points of heavy-tailed noise"
    )
    window: int = limit(50, "logged points", "measured on three healthy public runs")
    shift: int = limit(5, "logged points", "engineering default")
    fewest: int = limit(20, "logged points", "engineering default")
    warm_up: int = limit(60, "logged points", "at the start the KL grows from 0, so that any factor is reached")
    smallest: float = limit(1e-4, "nats/token", "a KL of 0 would make any later one infinitely high")


class KlRunaway(RunRule[Limits]):
    """Judges the KL per token against its own past."""

    code = "RV304"
    name = "kl-runaway"
    grade = "I"
    source = "TRL issues 41, 204"
    inputs = (("kl_per_token", "kl_per_sequence"),)
    limits = Limits()
    measures_distance = True
    remedies = ("earlier-checkpoint", "much-lower-learning-rate", "stronger-kl")
    telling_samples = "top-scored"
    texts = english(
        headline="The policy is running away from the reference model.",
        fired="KL to the reference rose to {measured} {unit} at step {peak}, {compared} its own median; far above "
        "it{mostly} from step {first} to {last}{harm}.",
        unknown="The KL is logged per sequence, and neither the length of the answers nor its limit is known.",
        enable="Log the mean length of the answers.",
    )

    def check(self, run: Run, limits: Limits) -> RuleResult:
        logged = kl_lengths(run)
        if logged is None:
            return Skipped(self.message("unknown"), self.message("enable"))
        series, tokens = logged
        limits = paced(limits, run, series, window=10, shift=2, fewest=5, warm_up=6)
        kl = series.values / tokens
        times, base = times_own_past(kl, limits.window, limits.shift, limits.fewest, limits.smallest)
        times = _where_far(kl, times, _least(run, limits))
        level = Level(Severity.CRITICAL, limits.times, limits.patience)
        warm_up = max(limits.warm_up, points_before_baseline(limits.shift, limits.fewest))
        reading = read_proven_levels(replace(series, values=times), (level,), warm_up=warm_up, smallest=limits.smallest)
        return self.judged_in_unit(series, base * tokens, reading, smallest=limits.smallest * float(tokens.max()))


def _least(run: Run, limits: Limits) -> float:
    """The KL per token below which growth is small; in a short answer, each token may cost what a sequence may."""
    lengths = run.get("length_mean")
    length = math.nan if lengths is None else start_level(lengths.values)
    return max(limits.least, limits.per_sequence / length) if 0 < length <= limits.short_answer else limits.least


def _where_far(kl: Values, times: Values, least: float) -> Values:
    """(N,) The growth; 0 where the KL itself is small."""
    return np.where(kl >= least, times, np.minimum(times, 1.0))
