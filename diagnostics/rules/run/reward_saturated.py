"""The reward is near its highest value, and most groups agree: there is little left to learn.

What it checks
    The reward at 0.95 of the highest that its graders (0 to 1 each) can give, with half of the groups without any
    difference, both as medians of five logged points and for 20 points in a row. PPO has no groups: there it is the
    score alone. Where the share is taken over the batch, and so 0 or 1, it is the mean of 20 points. It is info. A
    reward that has been exactly the same from the first point on is not judged: whether anything was learned is then
    not known (`reward-stuck-at-floor`).

Why it matters
    A solved task gives no gradient; what continues is drift, and every further step costs as much as the first.

When it is wrong
    The highest reward is inferred from graders that stayed within 0 and 1, and from the stated weights. With other
    graders the rule is skipped.

What to try
    Stop, or continue with harder prompts. Check a held-out evaluation: a reward at its maximum may also have been
    hacked.

References
    DAPO (arXiv 2503.14476), dynamic sampling · rlhf-book: prompts that are solved in 20 to 80 % of cases.
"""

from dataclasses import replace

import numpy as np

from diagnostics.detectors.rolling import rolling_mean, rolling_median
from diagnostics.model.algorithms import GROUP_FAMILY, PPO_FAMILY
from diagnostics.model.alignment import last_known
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.model.series import Series, Values
from diagnostics.rules.levels import Level, Reading, read_levels
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.missing_metrics import why_not_per_group
from diagnostics.rules.rewards import full_marks, has_never_moved
from diagnostics.rules.rule import Input, Quiet, RuleResult, Skipped, english
from diagnostics.rules.run.run_rule import RunRule, series_of


class Limits(RuleLimits):
    """When there is little left to learn."""

    share: float = limit(0.95, "of the highest reward", "engineering default")
    silent: float = limit(0.5, "fraction of groups", "DAPO: such prompts are filtered out")
    patience: int = limit(20, "logged points", "engineering default")


class RewardSaturated(RunRule[Limits]):
    """Judges `reward` and `frac_reward_zero_std` together, or `objective/scores`."""

    code = "RV407"
    name = "reward-saturated"
    grade = "P"
    source = "DAPO (arXiv 2503.14476), dynamic sampling"
    algorithms = GROUP_FAMILY | PPO_FAMILY
    inputs = ("reward", "zero_std_fraction")
    limits = Limits()
    remedies = ("harder-prompts",)
    telling_samples = "equal-groups"
    texts = english(
        headline="The reward is near its highest value: there is little left to learn.",
        fired="The reward was near its highest value of {highest}{mostly} from step {first} to {last} ({measured} at "
        "step {peak}), with {silent} % of the groups or more without a difference.",
        fired_batches="The reward was near its highest value of {highest}{mostly} from step {first} to {last} "
        "({measured} at step {peak}), with no difference at all in {silent} % of the steps or more.",
        fired_alone="The score was near its highest value of {highest}{mostly} from step {first} to {last} "
        "({measured} at step {peak}).",
        unbounded="The rewards do not stay within 0 and 1, so their highest value is not known.",
        enable="Scale the rewards to 0 to 1.",
    )

    def missing(self, run: Run) -> tuple[Input, ...]:
        """The inputs that the run does not log: PPO has no groups, there it is the score."""
        if run.algorithm in PPO_FAMILY:
            return () if run.get("score") else ("score",)
        return super().missing(run)

    def check(self, run: Run, limits: Limits) -> RuleResult:
        has_groups = run.algorithm not in PPO_FAMILY
        reward, highest = series_of(run, "reward" if has_groups else "score"), full_marks(run)
        if highest is None or highest <= 0:
            return Skipped(self.message("unbounded"), self.message("enable"), applies=False)
        if len(reward) >= limits.patience and has_never_moved(reward.values):
            return Quiet(float(reward.values[0]), None, reward.unit, reward.name, reward.tag)
        is_of_batches = why_not_per_group(run) is not None
        silent = (
            _share_without_signal(run, reward, limits.patience if is_of_batches else None)
            if has_groups
            else np.full(len(reward), limits.silent)
        )
        near = rolling_median(reward.values)
        reached = replace(reward, values=np.minimum(near / (limits.share * highest), silent / limits.silent))
        reading = read_levels(reached, (Level(Severity.INFO, 1.0, limits.patience),), smooth=False)
        if not isinstance(reading, Reading):
            return self.judged(reading)
        if reading.breach is None:
            return Quiet(reading.worst, 1.0, "of both limits", reward.name, reward.tag)
        of_groups = "fired_batches" if is_of_batches else "fired"
        key, near_highest = of_groups if has_groups else "fired_alone", limits.share * highest
        return self.judged_in_unit(
            reward,
            np.ones(len(reward)),
            reading,
            key=key,
            limit=near_highest,
            highest=highest,
            silent=100 * limits.silent,
        )


def _share_without_signal(run: Run, reward: Series, batches: int | None) -> Values:
    """(N,) The share of groups without any difference at the reward's steps; or of the last so many batches."""
    silent = last_known(series_of(run, "zero_std_fraction"), reward.steps)
    return rolling_median(silent) if batches is None else rolling_mean(silent, batches)
