"""Rewards within a group hardly differ, and scaling amplifies that into full advantages.

What it checks
    The spread of the reward, in the groups that have any, against the range over which this run's reward has moved (at
    least four times its spread at the start): below 1 % of it for ten logged points is a warning.

Why it matters
    Advantages are divided by the group's spread plus 0.0001. Where answers differ only by a tiny term (length shaping,
    rounding of a score), that term alone decides, at full strength.

When it is wrong
    From TRL 0.27 on, and in rlvitals, the logged spread is that of the whole batch, which is never smaller: a finding
    is then right, and without one the rule says that it could not tell.

What to try
    Scale over the batch or not at all (`scale_rewards`), drop tiny terms, round the reward.

References
    Dr. GRPO (arXiv 2503.20783), bias of the deviation · Lite PPO, batch scaling · TRL
    grpo_trainer.py: std + 1e-4.
"""

from dataclasses import replace

import numpy as np

from diagnostics.detectors.averages import start_level
from diagnostics.detectors.extremes import extreme_so_far
from diagnostics.model.alignment import finite_only, last_known
from diagnostics.model.outcome import Severity
from diagnostics.model.quirks import Quirk
from diagnostics.model.run import Run
from diagnostics.model.series import Series, Values
from diagnostics.rules.levels import Level, Reading, read_levels
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import RuleResult, Skipped, english
from diagnostics.rules.run.run_rule import RunRule, series_of

GROUP_SCALING = (None, True, "group")  # a boolean in older versions


class Limits(RuleLimits):
    """Which spread is negligible."""

    share: float = limit(0.01, "of the reward's range", "engineering default; TRL adds 0.0001 to the spread")
    spreads: float = limit(4.0, "× the spread at the start", "nearly all rewards of a batch lie within ± two spreads")
    silent: float = limit(0.9, "fraction of groups", "with fewer groups left zero-variance-groups speaks")
    patience: int = limit(10, "logged points", "engineering default")
    start: int = limit(10, "logged points", "engineering default")


class TinyStdAmplification(RunRule[Limits]):
    """Judges `reward_std` where advantages are scaled within groups."""

    code = "RV410"
    name = "tiny-std-amplification"
    grade = "P"
    source = "Dr. GRPO (arXiv 2503.20783); TRL grpo_trainer.py"
    algorithms = frozenset({"grpo"})
    inputs = ("reward_std", "reward")
    sees_derived = False
    limits = Limits()
    remedies = ("unscaled-rewards", "checked-reward")
    telling_samples = "top-scored"
    texts = english(
        headline="Rewards of a group differ by next to nothing, and scaling blows that up.",
        fired="The spread of the reward was {measured} at step {peak}, within a range of {range}; below {percent} % "
        "of it{mostly} from step {first} to {last}.",
        whole="The logged spread is that of the whole batch: it is large where prompts differ, so that groups without "
        "any spread cannot be seen.",
        whole_enable="Look at the rewards of single groups in the samples.",
    )

    def applies(self, run: Run) -> bool:
        """Without scaling within groups nothing is amplified."""
        return super().applies(run) and run.settings.value("scale_rewards") in GROUP_SCALING

    def check(self, run: Run, limits: Limits) -> RuleResult:
        spread = finite_only(series_of(run, "reward_std"))
        varied = _of_groups_that_vary(run, spread, limits)
        span = _reward_range(run, spread, limits)
        share = replace(spread, values=varied / np.where(span > 0, span, np.nan))
        level = Level(Severity.WARNING, limits.share, limits.patience)
        reading = read_levels(share, (level,), above=False, smooth=False, warm_up=limits.start)
        if not isinstance(reading, Reading) or reading.breach is None:
            is_hidden = isinstance(reading, Reading) and Quirk.LOGS_BATCH_REWARD_STD in run.quirks
            whole = Skipped(self.message("whole"), self.message("whole_enable"))
            return whole if is_hidden else self.judged(reading, unit="of the reward's range")
        peak = reading.breach.peak
        return self.fired_by(
            spread,
            reading,
            measured=float(varied[peak]),
            limit=limits.share * float(span[peak]),
            peak=int(spread.steps[peak]),
            range=float(span[peak]),
            percent=100 * limits.share,
        )


def _of_groups_that_vary(run: Run, spread: Series, limits: Limits) -> Values:
    """(N,) An upper bound of the mean spread of the groups that have one; NaN where hardly any has."""
    silent = run.get("zero_std_fraction")
    values = np.where(spread.values > 0, spread.values, np.nan)
    if silent is None:
        return values
    return _of_the_others(values, last_known(finite_only(silent), spread.steps), limits.silent)


def _reward_range(run: Run, spread: Series, limits: Limits) -> Values:
    """(N,) How far the mean reward has moved so far, and at least a few times its spread at the start."""
    reward = last_known(finite_only(series_of(run, "reward")), spread.steps)
    moved = extreme_so_far(reward) - extreme_so_far(reward, highest=False)
    return np.fmax(moved, limits.spreads * start_level(spread.values, limits.start))


def _of_the_others(spread: Values, silent: Values, most: float) -> Values:
    """(N,) The spread without the share of groups that have none; NaN where that share is too high."""
    return np.where(silent < most, spread / np.maximum(1 - silent, 1 - most), np.nan)
