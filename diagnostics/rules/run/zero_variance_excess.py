"""More groups agree than prompts of equal difficulty would explain: prompts are too easy and too hard at once.

What it checks
    For a single right-or-wrong reward function (its spread is that of a coin with its mean): the share of groups
    without a difference against p^G + (1 − p)^G, the least that a mean of p allows with G answers each. Thirty
    percentage points more for ten logged points is info.

Why it matters
    Either the difficulty is bimodal, and half of the prompts belong to another stage of training, or the answers of a
    group have become copies of each other. The mean reward shows neither.

When it is wrong
    Any spread of difficulty exceeds the bound, which holds for equal prompts; hence the thirty points. With few groups
    in a batch their share is coarse.

What to try
    Count the different answers within a group. If they differ, sort the prompts by difficulty; if not, raise the
    temperature.

References
    Jensen's inequality: of all difficulties with mean p, equal ones have the fewest groups that agree.
"""

from dataclasses import replace

import numpy as np

from diagnostics.detectors.averages import finite_median
from diagnostics.model.alignment import at_common_steps
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.model.series import Series, Values
from diagnostics.rules.levels import Level, Reading, read_levels
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.missing_metrics import why_not_per_group
from diagnostics.rules.rule import RuleResult, Skipped, english
from diagnostics.rules.run.run_rule import RunRule, series_of


class Limits(RuleLimits):
    """How much more than the bound is a finding."""

    excess: float = limit(0.3, "fraction of groups", "engineering default")
    patience: int = limit(10, "logged points", "engineering default")
    coin: float = limit(0.02, "reward²", "of a batch of 64 answers: rounding and the factor n/(n − 1)")


class ZeroVarianceExcess(RunRule[Limits]):
    """Judges `frac_reward_zero_std` against the mean of a reward of 0 and 1."""

    code = "RV409"
    name = "zero-variance-excess"
    grade = "C"
    source = "Jensen's inequality on p^G + (1 − p)^G"
    algorithms = frozenset({"grpo"})
    inputs = ("zero_std_fraction", "reward_func_mean", "reward_func_std")
    limits = Limits()
    remedies = ("mixed-prompts", "true-temperature")
    telling_samples = "equal-groups"
    texts = english(
        headline="More groups agree than prompts of equal difficulty would explain.",
        fired="{measured} of the groups had no difference at step {peak}, where a mean reward of {mean} explains "
        "{bound} of them; far more than explained{mostly} from step {first} to {last}.",
        size="The configuration does not say how many answers a prompt gets.",
        size_enable="Log how many answers a prompt gets.",
        graded="The rule is about one reward of rights and wrongs (0 or 1), and this run has other rewards.",
        graded_enable="Nothing: zero-variance-groups judges other rewards.",
    )

    def check(self, run: Run, limits: Limits) -> RuleResult:
        size, coin = run.settings.value("num_generations"), _coin_like_mean(run, limits)
        if reason := why_not_per_group(run):
            return reason
        if not isinstance(size, int) or size < 1:
            return Skipped(self.message("size"), self.message("size_enable"))
        if coin is None:
            return Skipped(self.message("graded"), self.message("graded_enable"), applies=False)
        silent, mean = at_common_steps(series_of(run, "zero_std_fraction"), coin)
        bound = _agreement_by_chance(mean.values, size)
        level = Level(Severity.INFO, limits.excess, limits.patience)
        reading = read_levels(replace(silent, values=silent.values - bound), (level,))
        if not isinstance(reading, Reading) or reading.breach is None:
            return self.judged(reading)
        return self._fired(silent, mean, bound, reading, limits)

    def _fired(self, silent: Series, mean: Series, bound: Values, reading: Reading, limits: Limits) -> RuleResult:
        assert reading.breach is not None
        peak = reading.breach.peak
        explained = float(bound[peak])
        return self.fired_by(
            silent,
            reading,
            measured=float(silent.values[peak]),
            limit=explained + limits.excess,
            peak=int(silent.steps[peak]),
            mean=float(mean.values[peak]),
            bound=explained,
        )


def _coin_like_mean(run: Run, limits: Limits) -> Series | None:
    """The mean of the only reward function, where its spread is that of a coin; else None."""
    means, spreads = run.by_reward_function("reward_func_mean"), run.by_reward_function("reward_func_std")
    if len(means) != 1 or means.keys() != spreads.keys():
        return None
    mean, spread = at_common_steps(*means.values(), *spreads.values())
    off = finite_median(np.abs(spread.values**2 - mean.values * (1 - mean.values)))
    is_mixed = bool(((mean.values > 0) & (mean.values < 1)).any())
    return mean if off <= limits.coin and is_mixed else None


def _agreement_by_chance(mean: Values, size: int) -> Values:
    """(N,) The share of groups of that size that agree if all prompts were equally hard."""
    return np.asarray(mean**size + (1 - mean) ** size)
