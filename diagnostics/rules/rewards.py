"""The metric that a run is meant to raise, what it has gained, and whether it can rise further."""

import math
from dataclasses import dataclass

import numpy as np

from diagnostics.detectors.averages import finite_median, latest_ewma, start_level
from diagnostics.detectors.extremes import finite_range
from diagnostics.detectors.noise import estimate_noise, stable_length
from diagnostics.detectors.proportions import CERTAIN
from diagnostics.detectors.stillness import PARTS, change_of_level, noise_within
from diagnostics.model.algorithms import MAIN_REWARD
from diagnostics.model.run import Run
from diagnostics.model.samples import Sample
from diagnostics.model.series import Series, Steps, Values
from diagnostics.model.vocabulary import EVAL_PREFIX

REWARDS = ("reward", "rlhf_reward", "score")
SCORES = ("score", "reward")  # what graders gave, without PPO's KL penalty
ANY_SCORE = (*SCORES, "rlhf_reward")  # the last holds the KL penalty, which grows with the distance itself
EVALUATED = tuple(EVAL_PREFIX + name for name in ANY_SCORE)
FULL_MARKS = 1.0  # most graders give 0 to 1; a reward that never left this range is taken to end at 1
SMALLEST = 1e-6  # a smaller gain is float noise of a constant reward
LIKELY = 2.0  # standard errors
START = 5  # points that show how a reward began, before anything was learned
WORDS_OF_FORM = (
    "format",
    "tag",
    "xml",
    "length",
    "overlong",
    "repetition",
    "penalty",
    "style",
    "language",
    "strict",
    "soft",
)

WORDS_OF_CONTENT = ("right", "correct", "accura", "exact", "solve")


def main_reward(run: Run) -> Series:
    """The series that should keep going up. Raises LookupError where the run logs none of them."""
    series = run.get(*MAIN_REWARD.get(run.algorithm, REWARDS)) or run.get(*REWARDS)
    if series is None:
        raise LookupError(f"the run logs none of {', '.join(REWARDS)}")
    return series


def is_solved(run: Run, steps: Steps, share: float) -> bool:
    """Whether the main reward is at full marks in these steps; the RLHF reward has no maximum, its score may have
    one."""
    main = main_reward(run)
    series = (run.get("score") or main) if main.name == "rlhf_reward" else main
    if len(steps) == 0:
        return False
    values, highest = series.values[series.steps >= steps[0]], full_marks(run)
    return is_at_full_marks(values, share) or (highest is not None and finite_median(values) >= share * highest)


def is_at_full_marks(values: Values, share: float) -> bool:
    """Whether rewards that stay within 0 and 1 lie, by their median, at `share` of 1 or above."""
    return _stays_within_marks(values) and finite_median(values) >= share * FULL_MARKS


@dataclass(frozen=True, slots=True)
class Gain:
    """What a reward has gained since its first points, and the standard error of that, in the reward's unit."""

    value: float
    error: float

    @property
    def is_proven(self) -> bool:
        """Whether the reward rose by more than chance explains."""
        return self.value > max(CERTAIN * self.error, SMALLEST)

    @property
    def is_loss(self) -> bool:
        """Whether it fell by more than the error: likely, if not proven, and enough for a change not to count as
        harmless."""
        return -self.value > max(self.error, SMALLEST)

    def may_be(self, much: float, standard_errors: float) -> bool:
        """Whether a gain of `much` lies within this many standard errors."""
        return self.value + standard_errors * self.error >= much


def gain(values: Values, start: int = START) -> Gain:
    """The gain of the smoothed reward over the median of the first `start` points; NaN where there is no smoothed
    reward."""
    return Gain(latest_ewma(values) - start_level(values, start), estimate_noise(values).error_of_gain(start))


def has_never_moved(values: Values) -> bool:
    """Whether a reward is the same at every point, to rounding: means of answers that differ do not agree for long."""
    return bool(np.isfinite(values).all() and np.ptp(values) <= SMALLEST)


def has_risen(series: Series | None) -> bool:
    """Whether a reward is above its first points by more than chance explains; False where it is not logged.

    Few first points say little of a noisy reward, so the last third above the first third counts as well. What has
    fallen far below its very first point, before anything was learned, and then climbed a little has not risen.
    """
    if series is None:
        return False
    change = change_of_level(series.values)
    is_higher = change is not None and change.is_proven and change.after > change.before
    return (gain(series.values).is_proven or is_higher) and not is_below_first(series.values)


def has_likely_risen(series: Series | None) -> bool:
    """The same with two standard errors from third to third: no proof, but enough not to count as harm."""
    if series is None or is_below_first(series.values):
        return False
    change = change_of_level(series.values)
    return has_risen(series) or (change is not None and change.after - change.before > LIKELY * change.error)


def is_below_first(values: Values) -> bool:
    """Whether the last third of a reward lies below its first point by more than chance explains of one point."""
    change, known = change_of_level(values), values[np.isfinite(values)]
    if change is None:
        return False
    deviation = noise_within(known, known[1 : 1 + len(known) // PARTS], known[-len(known) // PARTS :]).deviation
    return bool(known[0] - change.after > max(CERTAIN * deviation, SMALLEST))


def spread_of_answers(run: Run) -> float | None:
    """The deviation of the reward from answer to answer; None where it is not logged.

    That of the whole reward, or that of its only function where that has a weight of 1.
    """
    functions = run.by_reward_function("reward_func_std")
    alone = next(iter(functions.values())) if len(functions) == 1 and reward_weights(run) in ((), (1.0,)) else None
    logged = run.get("score_std", "reward_std") or alone
    spread = math.nan if logged is None else start_level(logged.values)
    return None if math.isnan(spread) else spread


def spread_by_batches(run: Run, series: Series) -> float | None:
    """The deviation of a reward from answer to answer: as logged, or what the noise between batches implies.

    None where neither it nor the size of a batch is known.
    """
    logged = spread_of_answers(run)
    if logged is not None:
        return logged
    batch = _answers_per_batch(run)
    return noise_of_batches(series) * math.sqrt(batch) if batch else None


def _answers_per_batch(run: Run) -> float | None:
    """The answers of one batch: as configured, or those by which the count of episodes grows in a step."""
    batch = run.settings.value("batch_size") or run.settings.value("per_device_train_batch_size")
    if isinstance(batch, int) and batch > 0:
        return batch
    episodes = run.get("episodes")
    if episodes is None or len(episodes) < START:
        return None
    growth = finite_median(np.diff(episodes.values) / np.diff(episodes.steps))
    return growth if growth > 1 else None  # 1 where the steps themselves count episodes


def noise_of_batches(series: Series) -> float:
    """The deviation of a metric from batch to batch, while it was stable."""
    return estimate_noise(series.values[: stable_length(len(series))]).deviation


def may_have_gained(values: Values, much: float, standard_errors: float) -> bool:
    """Whether a gain of `much` from the first third of a reward to the last lies within this many standard errors."""
    change = change_of_level(values)
    return change is not None and change.may_be_gain(much, standard_errors)


def may_be_rising(run: Run, series: Series | None, small: float, standard_errors: float) -> bool:
    """Whether a reward has risen, or its noise hides whether it gained `small` of the spread from answer to answer."""
    if series is None:
        return False
    spread = spread_by_batches(run, series)
    return has_risen(series) or bool(spread and may_have_gained(series.values, small * spread, standard_errors))


def spread_of_marks(run: Run) -> float | None:
    """The largest deviation that answers can have at the run's mean reward; None where that has no known range.

    It is that of answers which earn either nothing or full marks.
    """
    series, highest = run.get("reward", "score"), full_marks(run)
    if series is None or highest is None:
        return None
    mean = finite_median(series.values)
    return math.sqrt(max(0.0, mean * (highest - mean)))


def full_marks(run: Run) -> float | None:
    """The highest mean that the graded reward can reach; None where a grader does not stay within 0 and 1.

    Of several reward functions it is the sum of their positive weights. The RLHF reward has no maximum of its own (the
    KL penalty is part of it), so its score counts.
    """
    functions = run.by_reward_function("reward_func_mean")
    graders = list(functions.values()) or [item for item in (run.get("reward", "score"),) if item is not None]
    if not graders or not all(_stays_within_marks(item.values) for item in graders):
        return None
    weights = reward_weights(run)
    return FULL_MARKS * (sum(max(0.0, weight) for weight in weights) if weights else max(1, len(functions)))


def reward_weights(run: Run) -> tuple[float, ...]:
    """The stated weights of the reward functions in their order; empty where none are stated (all are 1)."""
    stated = run.settings.value("reward_weights")
    if not isinstance(stated, list | tuple) or not all(isinstance(item, int | float) for item in stated):
        return ()
    return tuple(float(item) for item in stated)


def rewards_form(function: str) -> bool:
    """Whether a reward function's name says that it rewards the form of an answer, not its content."""
    return any(word in function.lower() for word in WORDS_OF_FORM)


def speaks_of_what_is_right(function: str) -> bool:
    """Whether a reward function's name says that it is for answers that are right."""
    return any(word in function.lower() for word in WORDS_OF_CONTENT) and not rewards_form(function)


def is_unscored(sample: Sample) -> bool:
    """Whether no reward function gave the sample a finite reward."""
    rewards = [*sample.rewards.values(), *([] if sample.score is None else [sample.score])]
    return not any(math.isfinite(reward) for reward in rewards)


def _stays_within_marks(values: Values) -> bool:
    lowest, highest = finite_range(values)
    return lowest >= 0 and highest <= FULL_MARKS
