"""The critic may move by little at a time, while the scores are large: it never catches up with them.

What it checks
    Whether the largest score that was tried is above 2 while `cliprange_value` is 0.2 or less and scores are not
    normalised.

Why it matters
    Each update clips the value to cliprange_value around where it was, so scores far beyond that take many steps to
    reach. Meanwhile advantages are wrong.

When it is wrong
    Where value clipping is off or the critic was trained beforehand, the range does not matter.

What to try
    Widen the range, or scale the scores by their deviation.

References
    TRL PPOTrainer: the value is clipped to its old value ± cliprange_value.
"""

import math

from diagnostics.model.algorithms import PPO_FAMILY
from diagnostics.model.outcome import Severity
from diagnostics.model.setup import Setup
from diagnostics.rules.config.config_rule import ConfigRule
from diagnostics.rules.config.reward_trials import score_of
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import Quiet, RuleResult, english

TIMES = 10  # the scores, as times the suggested range


class Limits(RuleLimits):
    """Which range is narrow, and which score large."""

    range: float = limit(0.2, "reward", "TRL PPOConfig: cliprange_value 0.2")
    score: float = limit(2.0, "reward", "engineering default: ten times the clip range")


class PfValueClip(ConfigRule[Limits]):
    """Compares the scores with `cliprange_value`."""

    code = "PF701"
    name = "pf-value-clip"
    grade = "C"
    source = "TRL PPOTrainer: the value is clipped to its old value ± cliprange_value"
    inputs = ("value_clip_range",)
    algorithms = PPO_FAMILY
    limits = Limits()
    texts = english(
        fired="Scores reach {score} and {parameter} is {value}{origin}: the critic needs many steps to follow.",
        unread="How large the scores are is not known before the rewards are tried.",
        unread_enable="Try the rewards: rlvitals preflight CONFIG --smoke.",
        why="A wider range lets the critic follow; dividing the scores by their deviation does as well.",
    )

    def check(self, setup: Setup, limits: Limits) -> RuleResult:
        setting = setup.require("value_clip_range")
        is_normal = setup.is_on("use_score_scaling") or setup.is_on("whiten_rewards")
        if setting.number is None or setting.number > limits.range or is_normal:
            return Quiet(setting.number, limits.range)
        scores = [abs(score_of(trial)) for trial in setup.trials or () if trial.score is not None]
        largest = max((score for score in scores if math.isfinite(score)), default=None)
        if largest is None:
            return self.skipped("unread")
        if largest <= limits.score:
            return Quiet(largest, limits.score)
        return self.fired(
            Severity.WARNING, setting, suggested=float(f"{largest / TIMES:.1g}"), measured=largest, limit=limits.score,
            score=largest,
        )  # fmt: skip
