"""Many value updates are clipped: the critic cannot follow the returns.

What it checks
    The share of clipped value updates (`val/clipfrac_avg`), as the median of five logged points, above 0.2 for five
    points after the first 40: info.

Why it matters
    The value may move by at most `cliprange_value`. Where returns are far larger than that, the critic needs many steps
    to reach them, and advantages are wrong until then.

When it is wrong
    Early in a run a high share is normal: 0.43 within the first 20 steps of a healthy public run.

What to try
    Bring rewards to a scale of about 1 (normalised scores, whitening), or widen `cliprange_value`.

References
    TRL logging page: val/clipfrac_avg · three public verl runs (0 after the first 30 steps).
"""

from diagnostics.model.algorithms import PPO_FAMILY
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.rules.levels import Level, read_levels
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import RuleResult, english
from diagnostics.rules.run.run_rule import RunRule, series_of


class Limits(RuleLimits):
    """Which share is too high."""

    info: float = limit(0.2, "fraction", "engineering default; healthy public runs showed 0")
    warm_up: int = limit(40, "logged points", "up to 0.43 in the first 20 steps of a healthy public run")
    patience: int = limit(5, "logged points", "engineering default")


class ValueClipfracHigh(RunRule[Limits]):
    """Judges `val/clipfrac_avg`."""

    code = "RV703"
    name = "value-clipfrac-high"
    grade = "M"
    source = "three public verl runs: 0 behind the first 30 steps"
    algorithms = PPO_FAMILY
    inputs = ("value_clip_fraction",)
    limits = Limits()
    remedies = (
        "whitened-rewards",
        "wider-value-clip-range",
    )
    texts = english(
        headline="Many value updates are clipped: the critic cannot follow.",
        fired="The share of clipped value updates {stayed} {limit}{mostly} from step {first} to {last} (peak "
        "{measured} at step {peak}).",
    )

    def check(self, run: Run, limits: Limits) -> RuleResult:
        level = Level(Severity.INFO, limits.info, limits.patience)
        return self.judged(read_levels(series_of(run, "value_clip_fraction"), (level,), warm_up=limits.warm_up))
