"""The value loss jumps: the critic has lost track of the returns.

What it checks
    The value loss against its own recent median (up to 30 logged points, ending five points earlier), or that of before
    the jump until it is back from there. Five times as much, as the median of five points and for three points, is a
    warning; a single point at twenty times is info. The first 20 points are not judged, because a healthy value loss
    starts high and falls. It is info where the score rose or held since, and critical while the reward falls as well
    (`reward-regression`) and is lower since.

Why it matters
    Advantages are rewards minus values. With a broken critic they are noise, and the policy follows.

When it is wrong
    A change of data or of the reward's scale during a run looks the same. A value loss that is far too high from the
    start does not show here.

What to try
    Bring rewards to a common scale (whitening, normalised scores), lower the value model's learning rate or `vf_coef`,
    bound the value step with `cliprange_value`. Look at the rewards of the steps before.

References
    TRL logging page: loss/value_avg "will spike / NaN when not going well" · old TRL logging page: ppo/loss/value.
"""

import dataclasses

from diagnostics.detectors.rolling import points_before_baseline, rolling_median, times_own_past
from diagnostics.model.algorithms import PPO_FAMILY
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.model.series import Values
from diagnostics.rules.cadence import paced
from diagnostics.rules.levels import Level, Reading, TooFew, read_levels, read_until_back
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import RuleResult, Skipped, english
from diagnostics.rules.run.run_rule import RunRule, series_of

SMALLEST_BASE = 1e-12  # a median of 0 would make any loss infinitely high


class Limits(RuleLimits):
    """Which jump is too high, and what it is compared with."""

    warning: float = limit(5.0, "× its own median", "measured: no alarm on three healthy public runs")
    patience: int = limit(3, "logged points", "engineering default")
    single: float = limit(20.0, "× its own median", "engineering default")
    window: int = limit(30, "logged points", "engineering default")
    shift: int = limit(5, "logged points", "engineering default")
    fewest: int = limit(10, "logged points", "engineering default")
    warm_up: int = limit(20, "logged points", "a healthy value loss starts at up to a hundred times its plateau")


class ValueLossSpike(RunRule[Limits]):
    """Judges `loss/value_avg` against its own past."""

    code = "RV701"
    name = "value-loss-spike"
    grade = "S"
    source = "TRL logging page: loss/value_avg will spike / NaN when not going well"
    algorithms = PPO_FAMILY
    inputs = ("value_loss",)
    limits = Limits()
    measures_distance = True
    harmless_alone = True
    graver_with = ("reward-regression",)
    remedies = (
        "whitened-rewards",
        "restored-value-clip-range",
        "lower-value-learning-rate",
        "lower-shared-learning-rate",
        "clipped-gradient",
    )
    texts = english(
        headline="The value loss jumped: the critic has lost track of the returns.",
        fired="The value loss was far above its earlier median{mostly} from step {first} to {last}: up to {measured} "
        "at step {peak}, {compared} that median{harm}.",
        signed="{tag} is below 0 at times, which the squared error of a value model cannot be.",
        signed_enable="Log the value model's loss by itself.",
        single="The value loss jumped to {measured} at step {peak}, {compared} its own median.",
    )

    def check(self, run: Run, limits: Limits) -> RuleResult:
        series = series_of(run, "value_loss")
        if (series.values < 0).any():
            return Skipped(self.message("signed", tag=series.tag), self.message("signed_enable"))
        limits = paced(limits, run, series, window=10, shift=2, fewest=5, warm_up=5)
        times, base = times_own_past(series.values, limits.window, limits.shift, limits.fewest, SMALLEST_BASE)
        level = Level(Severity.WARNING, limits.warning, limits.patience)
        warm_up = max(limits.warm_up, points_before_baseline(limits.shift, limits.fewest))

        def read(base: Values) -> Reading | TooFew:
            compared = dataclasses.replace(series, values=series.values / base)
            return read_levels(compared, (level,), warm_up=warm_up)

        kept, base = read_until_back(read, rolling_median(series.values), base)
        if isinstance(kept, Reading) and kept.breach is None:
            compared, level = dataclasses.replace(series, values=times), Level(Severity.INFO, limits.single, 1)
            single = read_levels(compared, (level,), smooth=False, warm_up=limits.warm_up)
            if isinstance(single, Reading) and single.breach:
                return self.judged_in_unit(series, base, single, key="single", smallest=SMALLEST_BASE)
        return self.judged_in_unit(series, base, kept, smallest=SMALLEST_BASE)
