"""What tells one cause in the reward from another: what it pays for, and whether it changed or the answers did."""

import itertools
import math
from collections.abc import Collection

import numpy as np

from diagnostics.causes.discriminators.updates import samples_as_usual
from diagnostics.detectors.changepoint import break_at, find_break
from diagnostics.model.algorithms import MAIN_REWARD
from diagnostics.model.outcome import Outcome
from diagnostics.model.run import Run
from diagnostics.model.samples import Sample
from diagnostics.model.series import Series, Values

START = 5  # logged points that show how a run began
SMALL_BATCH = 32  # answers; TRL's maintainers advise 256
MEDIAN_LAG = 2  # points; half of the five that a rule's median is taken over
CHANCE = 3.0  # standard errors of the difference of two means
OF_REWARDS = ("reward", "score", "rlhf_reward")
FIRST_TABLES = 3  # of samples: how answers scored before they changed
NEWEST_TABLES = 5  # of samples, searched for one that was trained on


def answers_differ(outcome: Outcome, run: Run) -> bool:
    """Whether the newest answers are mostly different ones: then it is the reward that sees no difference."""
    newest = _newest_answers(run)
    return len({sample.response for sample in newest}) > len(newest) / 2


def is_paid(outcome: Outcome, run: Run) -> bool:
    """Whether the check of samples itself found that the score pays for it."""
    return outcome.message.template in ("smp-exclaim-emoji.fired", "smp-nonlanguage.paid")


def marks_are_paid(outcome: Outcome, run: Run) -> bool:
    """The same, where the newest answers hold more than the one mark that may end a sentence."""
    newest = _newest_answers(run)
    marks = sum(sample.response.count("!") for sample in newest)
    return is_paid(outcome, run) and (marks > len(newest) or not marks)


def are_null_tokens(outcome: Outcome, run: Run) -> bool:
    """Whether exclamation marks are what NaN logits decode to: they fill whole answers, and nothing pays for them."""
    return outcome.message.template == "smp-exclaim-emoji.broken"


def reward_rose(outcome: Outcome, run: Run) -> bool:
    """Whether the score is higher now than it was at the start."""
    series = _score(run)
    if series is None or series.finite.sum() < 2 * START:
        return False
    finite = series.values[series.finite]
    return bool(np.median(finite[-START:]) > np.median(finite[:START]) + np.std(finite[:START]))


def reward_did_not_rise(outcome: Outcome, run: Run) -> bool:
    return not reward_rose(outcome, run)


def beats_all_before(outcome: Outcome, run: Run) -> bool:
    """Whether the mean answer came to score higher than the best of the first tables did, by their deviation at least.

    A policy that updates have merely ruined does not earn what none of its answers ever earned: that is paid for. A
    bounded reward has no room for it, so there it proves nothing.
    """
    series, tables = _score(run), [step for step in run.samples.steps if step < (outcome.first_step or 0)]
    scores = [sample.score for step in tables[:FIRST_TABLES] for sample in run.samples.of_training(step)]
    known = [score for score in scores if score is not None and math.isfinite(score)]
    if series is None or not known or series.finite.sum() < START:
        return False
    return float(np.max(_medians_of_five(series.values[series.finite]))) > max(known) + float(np.std(known))


def reward_was_no_number(run: Run, rules: Collection[str]) -> bool:
    """Whether the first value that is no number is a reward: then it came from outside and no update made it."""
    broken = {name: int(item.steps[~item.finite][0]) for name, item in run.series.items() if not item.finite.all()}
    rewards = [step for name, step in broken.items() if name.startswith(OF_REWARDS)]
    return bool(rewards) and min(rewards) == min(broken.values())


def scores_by_chance(run: Run, rules: Collection[str]) -> bool:
    """Whether equal answers score differently, and nothing says that all of them score the same."""
    return set(rules) == {"smp-score-inconsistent"}


def reward_kept_its_level(outcome: Outcome, run: Run) -> bool:
    """Whether the reward did not itself leave its level where the value loss did: a new reward surprises any critic.

    The loss is judged as a median of five points, which may begin up to two of them later than the reward.
    """
    left, step = find_break(_score(run)), outcome.first_step or 0
    shown = run.steps[run.steps <= step][-MEDIAN_LAG - 1 :]
    return break_at(_score(run), step) is None and (left is None or left.step not in shown)


def told_apart_before(run: Run, step: int) -> bool:
    """Whether rewards differed before a step: a function that told answers apart stops to because the answers changed.

    Then the change has a cause of its own, unless it was the function or the prompts that changed.
    """
    before = [series.values[series.finite & (series.steps < step)] for series in _spreads(run)]
    return any(float(np.median(values[-START:])) > 0 for values in before if len(values))


def rose_with_its_own_samples(outcome: Outcome, run: Run) -> bool:
    """Whether the score rose, and not because sampling turned cold: the likeliest answers are alike and score well."""
    return reward_rose(outcome, run) and samples_as_usual(outcome, run)


def only_sampling_changed(outcome: Outcome, run: Run) -> bool:
    """Whether the reward fell at once, and KL rose with it, on prompts like those before, and still tells them apart.

    The first batch that scores worse was drawn before any update could act on it. Another reward function would leave
    the distance to the reference where it was, and other prompts would be seen. What is left is how answers are drawn.
    Not so where all answers score the same since: the KL may have risen by chance.
    """
    step = outcome.first_step or 0
    fell, rose = break_at(_score(run), step), break_at(run.get("kl_per_token", "kl_per_sequence"), step)
    if fell is None or rose is None or not (fell.fell and rose.rose):
        return False
    return _tells_apart_since(run, step) and _prompts_stayed(run, step)


def only_the_reward_changed(outcome: Outcome, run: Run) -> bool:
    """Whether the reward fell at once and has not risen since, though neither the answers nor the prompts changed.

    What is left is the reward function: it says something else of the same answers, and nothing that can be learned.
    """
    step, score = outcome.first_step or 0, _score(run)
    fell = break_at(score, step)
    if score is None or fell is None or fell.rose:
        return False
    seen = (run.get(name) for name in ("length_mean", "entropy_per_token", "kl_per_token", "kl_per_sequence"))
    since = score.values[score.finite & (score.steps >= step)]
    is_flat = float(np.median(since[-START:])) <= float(np.median(since[:START])) + float(np.std(since[:START]))
    return is_flat and not any(break_at(series, step) for series in seen) and _prompts_stayed(run, step)


def is_small_and_noisy(outcome: Outcome, run: Run) -> bool:
    """Whether few answers make an update, and the reward moves more from step to step than it gained in the run."""
    sizes = [run.config.get(name, 1) for name in ("per_device_train_batch_size", "gradient_accumulation_steps")]
    stated = [size for size in sizes if isinstance(size, int)]
    series = _score(run)
    if "per_device_train_batch_size" not in run.config or math.prod(stated) > SMALL_BATCH or series is None:
        return False
    finite = series.values[series.finite]
    gained = abs(float(np.median(finite[-START:])) - float(np.median(finite[:START])))
    return float(np.std(np.diff(finite))) / math.sqrt(2) > gained


def _newest_answers(run: Run) -> tuple[Sample, ...]:
    """The newest table of answers that were trained on, or of any where only evaluations are logged."""
    steps = run.samples.steps[: -NEWEST_TABLES - 1 : -1]
    newest = itertools.chain(map(run.samples.of_training, steps), map(run.samples.at, steps))
    return next(filter(None, newest), ())


def _spreads(run: Run) -> list[Series]:
    """How far the rewards of a step differ: of all together, and of each function."""
    spreads = (run.get("reward_std", "score_std"), *run.functions("reward_func_std").values())
    return [series for series in spreads if series is not None]


def _tells_apart_since(run: Run, step: int) -> bool:
    """Whether rewards differ from a step on, or nothing logged says that they do not."""
    since = [series.values[series.finite & (series.steps >= step)] for series in _spreads(run)]
    known = [values for values in since if len(values)]
    return not known or any(float(np.median(values)) > 0 for values in known)


def _prompts_stayed(run: Run, step: int) -> bool:
    """Whether the prompts of the tables around a step are as long before it as from it on, as far as chance tells."""
    tables = run.samples.steps
    sides = [[at for at in tables if at < step][-FIRST_TABLES:], [at for at in tables if at >= step][:FIRST_TABLES]]
    before, after = ([len(sample.query) for at in side for sample in run.samples.of_training(at)] for side in sides)
    if not before or not after:
        return False
    error = math.sqrt(float(np.var(before)) / len(before) + float(np.var(after)) / len(after))
    return abs(float(np.mean(before)) - float(np.mean(after))) <= CHANCE * error


def _score(run: Run) -> Series | None:
    return run.get("score", *MAIN_REWARD.get(run.algorithm, ("reward", "rlhf_reward")))


def _medians_of_five(values: Values) -> Values:
    return np.median(np.lib.stride_tricks.sliding_window_view(values, START), axis=1)
