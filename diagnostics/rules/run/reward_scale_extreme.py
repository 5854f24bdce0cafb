"""Scores are large and not normalised: the value model cannot follow them, or the KL penalty no longer counts.

What it checks
    PPO with a value clip range of 0.2 or less (TRL's default): a mean score of 10 or more, on either side of 0, or a
    spread of 5 or more, as the median of five logged points, for three points. With whitened rewards the mean alone
    counts: TRL divides them by their deviation and keeps their mean. GRPO where rewards are not scaled
    (`scale_rewards` none): such a spread. It is a warning.

Why it matters
    With a clip range of 0.2 the value model moves by at most 0.2 per update. It needs a hundred updates to reach
    returns of 20; until then the advantages are the returns, and the value loss grows. GRPO's unscaled advantages are
    as large as the differences of the rewards: next to such numbers the KL penalty hardly counts, and max_grad_norm
    clips every gradient.

When it is wrong
    A value model initialised from the reward model already has the scale. In most versions of GRPO the spread is that
    of the whole batch: prompts may differ where the answers to each do not.

What to try
    Normalise the score (running deviation, centred reward model), or widen the value clip range; whitened rewards help
    against a spread.
    GRPO: scale the rewards by the spread of the batch or the group.

References
    DeepSpeedExamples issue 556 (returns of 4 to 20; fixed by a running deviation) · The N Implementation Details of
    RLHF with PPO: reward normalisation · TRL GRPOConfig: scale_rewards.
"""

from dataclasses import replace

import numpy as np

from diagnostics.model.algorithms import PPO_FAMILY
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.model.series import Series
from diagnostics.model.settings import UNSCALED_REWARDS
from diagnostics.rules.levels import Level, Reading, TooFew, read_levels
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import Input, RuleResult, english
from diagnostics.rules.run.run_rule import RunRule, series_of


class Limits(RuleLimits):
    """Which score is too large for the value model."""

    mean: float = limit(10.0, "reward", "DeepSpeedExamples issue 556: trouble between 4 and 20")
    spread: float = limit(5.0, "reward", "DeepSpeedExamples issue 556: trouble between 4 and 20")
    clip_range: float = limit(0.2, "reward", "TRL PPOConfig: cliprange_value 0.2")
    patience: int = limit(3, "logged points", "engineering default")


class RewardScaleExtreme(RunRule[Limits]):
    """Judges the score's mean and spread, and the spread of rewards that GRPO does not scale."""

    code = "RV417"
    name = "reward-scale-extreme"
    grade = "I"
    source = "DeepSpeedExamples issue 556; The N Implementation Details of RLHF with PPO; TRL GRPOConfig"
    algorithms = PPO_FAMILY | {"grpo"}
    inputs = (("scaled_score", "score"),)
    sees_derived = False
    limits = Limits()
    remedies = ("score-scaling", "whitened-rewards", "wider-value-clip-range", "scaled-rewards")
    texts = english(
        headline="The scores are too large for what the training does with them.",
        fired="The {title} was {measured} at step {peak}, and beyond {limit}{mostly} from step {first} to {last}, "
        "with a value clip range of {range}.",
        unscaled="The {title} was {measured} at step {peak}, and beyond {limit}{mostly} from step {first} to {last}. "
        "With {setting} {scale} the advantages are of that size, beside which a KL penalty hardly counts.",
    )

    def applies(self, run: Run) -> bool:
        """Scaled rewards have no scale, and with a wide clip range or none the critic follows any."""
        if run.algorithm == "grpo":
            return run.settings.value("scale_rewards") in UNSCALED_REWARDS
        clip_range = run.settings.value("value_clip_range", self.limits.clip_range)
        is_narrow = isinstance(clip_range, int | float) and 0 < clip_range <= self.limits.clip_range
        return super().applies(run) and is_narrow

    def missing(self, run: Run) -> tuple[Input, ...]:
        """The inputs that the run does not log; GRPO has its own."""
        if run.algorithm != "grpo":
            return super().missing(run)
        return () if run.get("reward_std") is not None else ("reward_std",)

    def check(self, run: Run, limits: Limits) -> RuleResult:
        if run.algorithm == "grpo":
            reading = _read(series_of(run, "reward_std"), limits.spread, limits)
            setting, scale = run.settings.named("scale_rewards"), str(run.settings.value("scale_rewards"))
            return self.judged(reading, key="unscaled", setting=setting, scale=scale)
        return self._of_scores(run, limits)

    def _of_scores(self, run: Run, limits: Limits) -> RuleResult:
        score = series_of(run, "scaled_score", "score")
        is_whitened = run.settings.is_on("whiten_rewards")
        spread = None if is_whitened else run.get("scaled_score_std", "score_std")
        reading = _read(score, limits.mean, limits)
        if spread is not None and not (isinstance(reading, Reading) and reading.breach):
            other = _read(spread, limits.spread, limits)
            reading = other if isinstance(other, Reading) and other.breach else reading
        return self.judged(reading, range=run.settings.value("value_clip_range", limits.clip_range))


def _read(series: Series, most: float, limits: Limits) -> Reading | TooFew:
    size = replace(series, values=np.abs(series.values))
    return read_levels(size, (Level(Severity.WARNING, most, limits.patience),))
