"""What tells apart causes in the reward: what it pays for, and whether it changed or the completions did."""

import itertools
import math
from collections.abc import Collection

import numpy as np

from diagnostics.causes.discriminators.entropy import entropy_exceeds_its_start, temperature_is_usual
from diagnostics.causes.discriminators.lengths import length_alone_pays
from diagnostics.causes.discriminators.movement import (
    CHANCE,
    START,
    entropy_has_changed,
    is_far,
    policy_is_at_its_start,
)
from diagnostics.causes.discriminators.reward_functions import most_functions_were_always_dead
from diagnostics.causes.discriminators.sampling import sampling_is_not_greedy
from diagnostics.causes.discriminators.shapes import break_at, find_break, medians_of_windows
from diagnostics.causes.discriminators.updates import HEAVY_PENALTY, kl_weight, penalty_outweighs_the_score
from diagnostics.causes.indicator import is_warning
from diagnostics.detectors.stillness import Change, change_of_level, wandering
from diagnostics.model.algorithms import MAIN_REWARD
from diagnostics.model.distances import kl_of_answers
from diagnostics.model.outcome import Outcome
from diagnostics.model.run import Run
from diagnostics.model.samples import Sample
from diagnostics.model.series import Series

MEDIAN_LAG = 2  # points: half of the five that a rule's median covers
MOST = 0.5  # of the steps
WANDERING = 3.47  # × what luck makes of the variance of eight levels: χ² with seven degrees of freedom, p = 0.001
HUGE = 100.0  # beside an advantage of it a KL penalty of 0.05 per nat is lost
ROUNDING = 1e-6  # of means in float32
REWARD_METRICS = ("reward", "score", "rlhf_reward")
TABLES = 3  # sample tables that show how completions scored before, or since
TABLES_OF_CHANCE = 12  # newest tables that are searched for the same answer to the same query
NEWEST_TABLES = 5  # sample tables searched for one that was trained on


def completions_differ(outcome: Outcome, run: Run) -> bool:
    """Whether the newest completions are mostly different ones: then it is the reward that sees no difference."""
    newest = _newest_samples(run)
    return len({sample.response for sample in newest}) > len(newest) / 2


def score_pays_for_it(outcome: Outcome, run: Run) -> bool:
    """Whether the sample rule itself found that the score pays for what it reports."""
    return outcome.message.template in ("smp-exclaim-emoji.fired", "smp-nonlanguage.paid")


def score_pays_for_marks(outcome: Outcome, run: Run) -> bool:
    """The same, where the newest completions hold more than the one mark that may end a sentence."""
    newest = _newest_samples(run)
    marks = sum(sample.response.count("!") for sample in newest)
    return score_pays_for_it(outcome, run) and (marks > len(newest) or not marks)


def marks_decode_nan_logits(outcome: Outcome, run: Run) -> bool:
    """Whether exclamation marks are what NaN logits decode to: they fill completions, and nothing pays for them."""
    return outcome.message.template == "smp-exclaim-emoji.broken"


def reward_rose(outcome: Outcome, run: Run) -> bool:
    """Whether the score is higher now than it was at the start."""
    score = _score(run)
    if score is None or score.finite.sum() < 2 * START:
        return False
    finite = score.values[score.finite]
    return bool(np.median(finite[-START:]) > np.median(finite[:START]) + np.std(finite[:START]))


def reward_did_not_rise(outcome: Outcome, run: Run) -> bool:
    return not reward_rose(outcome, run)


def reward_rose_without_greedy_sampling(outcome: Outcome, run: Run) -> bool:
    """Whether the score rose by training: the likeliest completions are alike and score well, too."""
    return reward_rose(outcome, run) and sampling_is_not_greedy(outcome, run)


def noise_earns_the_most(outcome: Outcome, run: Run) -> bool:
    """Whether the score rose to a highest value that it keeps exactly, while the entropy is above what it began with.

    A policy that has found the answers to a task grows certain of them. Where ever more answers earn the most that can
    be earned, all the same, the reward does not ask for the task.
    """
    score = _score(run)
    if score is None or not reward_rose(outcome, run) or not entropy_exceeds_its_start(outcome, run):
        return False
    since = score.values[score.finite & (score.steps >= (outcome.first_step or 0))]
    highest = float(np.max(score.values[score.finite]))
    return len(since) >= 2 * START and float(np.mean(since >= highest - ROUNDING)) > MOST


def score_exceeded_zero(run: Run) -> bool:
    """Whether the score was ever above 0, where that of a grader that gives 0 or more cannot be with a wrong sign."""
    score = _score(run)
    return score is not None and bool((score.values[score.finite] > 0).any())


def reward_exceeds_early_scores(outcome: Outcome, run: Run) -> bool:
    """Whether the mean score came to exceed the best of the first samples, by their standard deviation at least.

    A policy that updates have merely ruined does not earn what none of its completions ever earned: that is paid for. A
    bounded reward has no room for it, so there it proves nothing; nor does it where longer completions alone earn it.
    """
    score, tables = _score(run), [step for step in run.samples.steps if step < (outcome.first_step or 0)]
    scores = [sample.score for step in tables[:TABLES] for sample in run.samples.of_training(step)]
    known = [value for value in scores if value is not None and math.isfinite(value)]
    if score is None or not known or score.finite.sum() < START:
        return False
    highest = float(np.max(medians_of_windows(score.values[score.finite], START)))
    return highest > max(known) + float(np.std(known)) and not length_alone_pays(run)


def first_nonfinite_is_a_reward(run: Run, rules: Collection[str]) -> bool:
    """Whether the first non-finite value is a reward: then it came from outside and no update made it."""
    broken = {name: int(item.steps[~item.finite][0]) for name, item in run.series.items() if not item.finite.all()}
    rewards = [step for name, step in broken.items() if name.startswith(REWARD_METRICS)]
    return bool(rewards) and min(rewards) == min(broken.values())


def reward_ignores_the_policy(outcome: Outcome, run: Run) -> bool:
    """Whether the policy has gone far from its start while the reward stayed where it was, as one of chance does.

    A policy that is d nats per answer away may have gained √(2 d) deviations of the reward (Gao et al. 2022, arXiv
    2210.10760), and a fifth of one is ruled out. Where no KL is logged, its entropy says that it has changed. A reward
    that began elsewhere, or left its level in between, did not stay.
    """
    score = _score(run)
    if score is not None and (_began_elsewhere(score) or wandering(score.values) > WANDERING):
        return False
    if outcome.message.template == "reward-not-improving.far":
        return True
    if outcome.message.template != "reward-not-improving.flat":
        return False
    by_kl = is_far(run)
    return entropy_has_changed(run) if by_kl is None else by_kl


def policy_goes_on_unpaid(outcome: Outcome, run: Run) -> bool:
    """Whether a policy whose reward ignores it is ever farther away: then no penalty holds it.

    One that is held comes to rest. Under a weight many times the usual, or a penalty many times the score, it follows
    the penalty's own noise, and so goes far as well.
    """
    kl, is_heavy = kl_of_answers(run), (kl_weight(run) or 0.0) >= HEAVY_PENALTY or penalty_outweighs_the_score(run)
    change = change_of_level(kl.values) if kl is not None else None
    has_grown = change is not None and change.is_proven and change.after > change.before
    return has_grown and not is_heavy and reward_ignores_the_policy(outcome, run)


def reward_may_be_ignored(outcome: Outcome, run: Run) -> bool:
    """Whether a reward that does not rise is no mere note, and nothing shows that the policy never left its start."""
    return is_warning(outcome, run) and not policy_is_at_its_start(outcome, run)


def nothing_tells_where_to_go(run: Run) -> bool:
    """Whether scores are chance, or stayed where they were over the whole run: a policy that moves is not led.

    Scores that a few updates have wrecked stay where they are as well, and began elsewhere.
    """
    score, change = _score(run), _change_of_score(run)
    if score is None or change is None:
        return scores_are_chance(run)
    stayed = not change.is_proven and not _began_elsewhere(score)
    return scores_are_chance(run) or stayed


def _began_elsewhere(score: Series) -> bool:
    """Whether the first score lies farther from the level of all than the noise of the others explains."""
    known = score.values[score.finite]
    level, noise = float(np.median(known)), float(np.std(known[1:]))
    return abs(float(known[0]) - level) > CHANCE * noise + ROUNDING


def scores_are_huge(run: Run) -> bool:
    """Whether scores were a hundred and more from the first points on: no sum of usual rewards is as large."""
    score = _score(run)
    if score is None or score.finite.sum() < START:
        return False
    return float(np.median(np.abs(score.values[score.finite][:START]))) >= HUGE


def scores_were_huge_before(outcome: Outcome, run: Run) -> bool:
    """Whether it is the scale that scores had before any training: then nothing in the run brought it about."""
    return scores_are_huge(run)


def score_fell(run: Run) -> bool:
    """Whether the graders' score is lower in the last third of the run than in the first."""
    change = _change_of_score(run)
    return change is not None and change.is_proven and change.after < change.before


def score_rose(run: Run) -> bool:
    """Whether the graders' score is higher in the last third of the run than in the first."""
    change = _change_of_score(run)
    return change is not None and change.is_proven and change.after > change.before


def noise_is_paid(run: Run, step: int) -> bool:
    """Whether the score rises all the same: then a policy dissolves because something that noise has is paid for."""
    return score_rose(run)


def nothing_else_holds_it(outcome: Outcome, run: Run) -> bool:
    """Whether a policy that stands still is held neither by a temperature that makes noise nor by what scores say.

    Scores of chance push it nowhere, and neither do functions most of which never pay.
    """
    is_pushed = not scores_are_chance(run) and not most_functions_were_always_dead(run)
    return temperature_is_usual(outcome, run) and is_pushed


def chance_decides(outcome: Outcome, run: Run) -> bool:
    return scores_are_chance(run)


def scores_are_chance(run: Run) -> bool:
    """Whether scores of the same answer differ about as much as those of different answers: no merit is in them."""
    scores: dict[tuple[str, str], list[float]] = {}
    for step in run.samples.steps[-TABLES_OF_CHANCE:]:
        for sample in run.samples.of_training(step):
            if sample.score is not None and math.isfinite(sample.score):
                scores.setdefault((sample.query, sample.response), []).append(sample.score)
    again = [float(np.var(same, ddof=1)) for same in scores.values() if len(same) > 1]
    overall = float(np.var([score for same in scores.values() for score in same])) if again else 0.0
    return overall > 0 and float(np.mean(again)) >= MOST * overall


def prompts_are_identical(run: Run, core: Collection[str]) -> bool:
    """Whether it is the prompts that leave nothing to tell answers by."""
    return "smp-prompts-identical" in core


def only_the_reward_stays(run: Run, rules: Collection[str]) -> bool:
    """Whether nothing but a reward that does not rise indicates it."""
    return set(rules) == {"reward-not-improving"}


def only_scores_are_inconsistent(run: Run, rules: Collection[str]) -> bool:
    """Whether equal completions score differently, and nothing says that all of them score the same."""
    return set(rules) == {"smp-score-inconsistent"}


def reward_kept_its_level(outcome: Outcome, run: Run) -> bool:
    """Whether the reward did not itself leave its level where the value loss did: a new reward surprises any critic.

    The loss is judged as a median of five points, which may begin up to two of them later than the reward.
    """
    jump, step = find_break(_score(run)), outcome.first_step or 0
    around = run.steps[run.steps <= step][-MEDIAN_LAG - 1 :]
    return break_at(_score(run), step) is None and (jump is None or jump.step not in around)


def rewards_differed_before(run: Run, step: int) -> bool:
    """Whether rewards differed before a step: they become equal because the completions, or the function, changed.

    Then that change has a cause of its own, unless it was the function or the prompts that changed.
    """
    before = [series.values[series.finite & (series.steps < step)] for series in _reward_spreads(run)]
    return any(float(np.median(values[-START:])) > 0 for values in before if len(values))


def only_sampling_changed(outcome: Outcome, run: Run) -> bool:
    """Whether the reward fell at once, and KL rose with it, on prompts like those before, and rewards still differ.

    The first batch that scores worse was sampled before any update could act on it. Another reward function would leave
    the distance to the reference where it was, and other prompts would be seen. What is left is how completions are
    sampled. Not so where all completions score the same since: the KL may have risen by chance.
    """
    step = outcome.first_step or 0
    score, kl = break_at(_score(run), step), break_at(run.get("kl_per_token", "kl_per_sequence"), step)
    if score is None or kl is None or not (score.fell and kl.rose):
        return False
    return _rewards_differ_since(run, step) and _prompts_are_unchanged(run, step)


def only_the_reward_changed(outcome: Outcome, run: Run) -> bool:
    """Whether the reward fell at once and has not risen since, though neither the completions nor the prompts changed.

    What is left is the reward function: it scores the same completions differently, by nothing that can be learned.
    """
    step, score = outcome.first_step or 0, _score(run)
    jump = break_at(score, step)
    if score is None or jump is None or jump.rose:
        return False
    others = (run.get(name) for name in ("length_mean", "entropy_per_token", "kl_per_token", "kl_per_sequence"))
    since = score.values[score.finite & (score.steps >= step)]
    is_flat = float(np.median(since[-START:])) <= float(np.median(since[:START])) + float(np.std(since[:START]))
    return is_flat and not any(break_at(series, step) for series in others) and _prompts_are_unchanged(run, step)


def _newest_samples(run: Run) -> tuple[Sample, ...]:
    """The newest table of samples that were trained on, or of any where only evaluations are logged."""
    steps = run.samples.steps[: -NEWEST_TABLES - 1 : -1]
    newest = itertools.chain(map(run.samples.of_training, steps), map(run.samples.at, steps))
    return next(filter(None, newest), ())


def _reward_spreads(run: Run) -> list[Series]:
    """How far the rewards of a step differ: of all together, and of each function."""
    spreads = (run.get("reward_std", "score_std"), *run.by_reward_function("reward_func_std").values())
    return [series for series in spreads if series is not None]


def _rewards_differ_since(run: Run, step: int) -> bool:
    """Whether rewards differ from a step on, or nothing logged says that they do not."""
    since = [series.values[series.finite & (series.steps >= step)] for series in _reward_spreads(run)]
    known = [values for values in since if len(values)]
    return not known or any(float(np.median(values)) > 0 for values in known)


def _prompts_are_unchanged(run: Run, step: int) -> bool:
    """Whether the sampled prompts just before a step are as long as those from it on, within chance."""
    tables = run.samples.steps
    sides = [[at for at in tables if at < step][-TABLES:], [at for at in tables if at >= step][:TABLES]]
    before, after = ([len(sample.query) for at in side for sample in run.samples.of_training(at)] for side in sides)
    if not before or not after:
        return False
    error = math.sqrt(float(np.var(before)) / len(before) + float(np.var(after)) / len(after))
    return abs(float(np.mean(before)) - float(np.mean(after))) <= CHANCE * error


def _change_of_score(run: Run) -> Change | None:
    """The change of the graders' score from the first third of the run to the last; None where too little is logged."""
    score = _score(run)
    return None if score is None else change_of_level(score.values)


def _score(run: Run) -> Series | None:
    return run.get("score", *MAIN_REWARD.get(run.algorithm, ("reward", "rlhf_reward")))
