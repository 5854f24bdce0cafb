"""Many GRPO updates are clipped: the policy changes too drastically, or the clip range is too narrow.

What it checks
    The share of clipped tokens (`clip_ratio/region_mean`, Liger's `clip_ratio`, or what verl, OpenRLHF, SkyRL and slime
    log of it), as the median of five logged points: 0.1 for three points is a warning, 0.4 is critical where harm is
    shown. With sequence-level importance sampling the scale differs: there the limit is three times the run's own
    start, and at least 0.2; RLOO, whose clip range is that of tokens, has a limit of 0.4 at most.

Why it matters
    A clipped token gives no gradient, and the clipped share shows how far the policy tried to jump.

When it is wrong
    A clip ratio of 0 is no fault: with one update per generation the ratio is exactly 1. GSPO clips a hundred times
    more than GRPO and is better for it. `clip_ratio/low_min` and `high_max` are extremes of single completions and are
    not judged.

What to try
    Lower the learning rate or `num_iterations`; where epsilon is far below 0.2, raise it (DAPO: `epsilon_high`
    0.28).

References
    TRL logging page, crucial GRPO values: clip_ratio/* · GSPO (arXiv 2507.18071) · DAPO (arXiv 2503.14476).
"""

import numpy as np

from diagnostics.model.algorithms import GROUP_FAMILY
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.model.series import Series
from diagnostics.rules.levels import Level, read_levels
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import RuleResult, english
from diagnostics.rules.run.run_rule import RunRule, series_of, too_few


class Limits(RuleLimits):
    """Which share of clipped tokens, or sequences, is too high."""

    warning: float = limit(
        0.1,
        "fraction",
        "measured on GRPO of TRL: healthy runs of up to two updates stay below 0.03 but for single points",
    )
    critical: float = limit(0.4, "fraction", "engineering default")
    patience: int = limit(3, "logged points", "engineering default")
    sequence_factor: float = limit(3.0, "× the run's own start", "engineering default")
    sequence_least: float = limit(0.2, "fraction", "engineering default")
    sequence_start: int = limit(20, "logged points", "engineering default")
    sequence_most: float = limit(
        0.4, "fraction", "measured on RLOO of TRL: healthy runs of one or two updates stay below 0.01"
    )


class GrpoClipRatioHigh(RunRule[Limits]):
    """Judges `clip_ratio/region_mean`, or other programs' share of clipped tokens."""

    code = "RV204"
    name = "grpo-clip-ratio-high"
    grade = "S"
    source = "TRL logging page: clip_ratio/*"
    algorithms = GROUP_FAMILY
    inputs = (("clip_ratio_region_mean", "clip_ratio", "clip_fraction"),)
    limits = Limits()
    measures_distance = True
    remedies = ("lower-learning-rate", "fewer-epochs", "restored-clip-range", "clipped-gradient")
    texts = english(
        headline="Most of what the updates want is clipped away.",
        fired="The share of clipped tokens {stayed} {limit}{mostly} from step {first} to {last} "
        "(peak {measured} at {peak}){harm}.",
    )

    def check(self, run: Run, limits: Limits) -> RuleResult:
        series = series_of(run, "clip_ratio_region_mean", "clip_ratio", "clip_fraction")
        if run.algorithm == "rloo" or run.settings.value("importance_sampling_level") == "sequence":
            return self._sequences(run, series, limits)
        levels = (
            Level(Severity.WARNING, limits.warning, limits.patience),
            Level(Severity.CRITICAL, limits.critical, limits.patience),
        )
        return self.judged(read_levels(series, levels))

    def _sequences(self, run: Run, series: Series, limits: Limits) -> RuleResult:
        start = series.values[: limits.sequence_start]
        if len(series) < limits.sequence_start + limits.patience or not np.isfinite(start).any():
            return too_few(limits.sequence_start + limits.patience, len(series))
        own = max(limits.sequence_least, limits.sequence_factor * float(np.median(start[np.isfinite(start)])))
        own = min(own, limits.sequence_most) if run.algorithm == "rloo" else own
        level = Level(Severity.WARNING, own, limits.patience)
        return self.judged(read_levels(series, (level,), warm_up=limits.sequence_start))
