"""What tells apart causes of truncated completions: how completions ended before, and what the settings say."""

import itertools
import math
from collections.abc import Iterator

import numpy as np

from diagnostics.causes.discriminators.length_changes import (
    eos_is_ignored,
    eos_was_replaced,
    eos_was_suppressed,
    length_limit_was_lowered,
)
from diagnostics.causes.discriminators.lengths import length_of
from diagnostics.causes.discriminators.shapes import hard_maximum, medians_of_windows, steps_between_points
from diagnostics.detectors.averages import finite_median
from diagnostics.detectors.silent_groups import may_all_be_right
from diagnostics.model.alignment import at_common_steps
from diagnostics.model.outcome import Outcome, Severity
from diagnostics.model.run import Run

START = 5  # logged points that show the start of a run, or its end
FEWEST_SAMPLES = 16  # with fewer a correlation says nothing
LENGTH_PAYS = 0.2  # correlation of score and length above which length is paid for
MOST = 0.8  # of the completions, where truncation-high is critical: seldom does a group hold one that ends
NEAR = 0.9  # of the limit, on average: where some answers end well before it, so many others do not
NEARLY_ALL = 0.95  # of the completions: where more end, their end is recognised
FEW = 0.1  # of the completions: so many do not earn full marks by chance
OFTEN = 0.4  # of 1, on average: a function that looks at the end of answers which are cut off gives less
WHOLE = 0.9  # of the largest spread that a mean allows; a few answers estimate it
SOME = 0.01  # of the completions, so many that they do not end by chance
EARLIER_TABLES = 20  # sample tables before a finding in which different lengths are looked for
LONG = 8  # tokens: in fewer, all answers of one right form may be equally long
TABLES = 3  # of these, and from the finding on, that are compared


def truncation_was_learned(outcome: Outcome, run: Run) -> bool:
    """Whether few completions were truncated at the start, and the policy may have learned to be cut off."""
    return _end_settings_are_unchanged(run) and _was_rare_at_the_start(outcome, run) and length_may_pay(outcome, run)


def length_may_pay(outcome: Outcome, run: Run) -> bool:
    """Whether longer completions score higher in the samples around the finding, or no samples contradict it."""
    tables, first = run.samples.steps, outcome.first_step or 0
    earlier = [step for step in tables if step < first][-EARLIER_TABLES:]
    before = itertools.islice((step for step in reversed(earlier) if _lengths_differ(run, step)), TABLES)
    since = [step for step in tables if step >= first][:TABLES]
    rows = np.array([row for step in (*before, *since) for row in _lengths_and_scores(run, step)])
    if len(rows) < FEWEST_SAMPLES or not rows.std(axis=0).all():
        return True
    return float(np.corrcoef(rows.T)[0, 1]) > LENGTH_PAYS


def truncates_from_the_start(outcome: Outcome, run: Run) -> bool:
    return not _was_rare_at_the_start(outcome, run)


def min_length_forbids_end(outcome: Outcome, run: Run) -> bool:
    """Whether sampling may not end a completion within half of its limit, so that few ends are seen."""
    least, limit = (run.settings.number(name) or 0.0 for name in ("min_new_tokens", "max_tokens"))
    return (least > 0 and least >= limit / 2) or _none_ends_before_the_limit(run)


def _none_ends_before_the_limit(run: Run) -> bool:
    """Whether a few completions end, and none of them a single token before the limit: free ends come at any length."""
    cut, *lengths = (run.get(name) for name in ("truncated_fraction", "length_min", "length_max"))
    shortest, longest = (None if each is None else each.values[each.finite] for each in lengths)
    if cut is None or shortest is None or longest is None or len(shortest) < START:
        return False
    shares = cut.values[cut.finite]
    ends = 1 - shares
    some_end = int((ends > 0).sum()) >= START and float(np.mean(ends)) >= SOME and float(np.median(shares)) >= MOST
    return some_end and float(shortest.min()) == float(longest.max()) >= LONG


def limit_truncates(outcome: Outcome, run: Run) -> bool:
    """Whether completions were truncated from the start, and nothing but the limit keeps them from ending."""
    is_forbidden = min_length_forbids_end(outcome, run)
    is_usual = truncates_from_the_start(outcome, run) and not is_forbidden and _end_settings_are_unchanged(run)
    return is_usual and not answers_are_right_though_cut(outcome, run)


def answers_are_right_though_cut(outcome: Outcome, run: Run) -> bool:
    """Whether nearly all completions are cut off from the first steps to the last, and come to earn nearly 1 of 1.

    Then they say what is asked for within the limit, and it is their end that is missing or not recognised. So it is
    where none has ever ended, the reward is 1 or nothing, and a tenth of them earn it; and where there are several
    functions, and each is earned often: one of them would see what a cut-off answer lacks. A high reward that is
    equal within more groups than can be right says nothing of the answers.
    """
    cut, reward = run.get("truncated_fraction"), run.get("reward")
    if cut is None or reward is None or min_length_forbids_end(outcome, run):
        return False
    known, earned = cut.values[cut.finite], reward.values[reward.finite]
    if min(len(known), len(earned)) < 2 * START:
        return False
    is_cut = min(float(np.median(known[:START])), float(np.median(known[-START:]))) >= NEARLY_ALL
    if is_cut and _each_function_is_earned(run):
        return True
    if float(earned.min()) < 0 or float(earned.max()) > 1:
        return False
    mean = float(np.median(earned[-START:]))
    is_earned_whole = mean >= FEW and not ends_are_seen(run) and _is_all_or_nothing(run)
    return is_cut and ((mean >= MOST and not _groups_agree_in_less_than_all(run)) or is_earned_whole)


def _groups_agree_in_less_than_all(run: Run) -> bool:
    """Whether more groups earn the same than the mean of a reward from 0 to 1 lets be right: it ignores the answers."""
    silent, reward = run.get("zero_std_fraction"), run.get("reward")
    return (
        silent is not None
        and reward is not None
        and not may_all_be_right(finite_median(reward.values), finite_median(silent.values))
    )


def _each_function_is_earned(run: Run) -> bool:
    """Whether there are several reward functions, from 0 to 1, and each of them came to give a good part of 1."""
    means = [series.values[series.finite] for series in run.by_reward_function("reward_func_mean").values()]
    if len(means) < 2 or min(map(len, means)) < START:
        return False
    are_marks = all(float(values.min()) >= 0 and float(values.max()) <= 1 for values in means)
    return are_marks and min(float(np.median(values[-START:])) for values in means) >= OFTEN


def _is_all_or_nothing(run: Run) -> bool:
    """Whether a reward between 0 and 1 spreads as much as its mean allows: then each is 1 or nothing."""
    reward, spread = run.get("reward"), run.get("reward_std")
    if reward is None or spread is None:
        return False
    reward, spread = at_common_steps(reward, spread)
    most = finite_median(np.sqrt(np.clip(reward.values * (1 - reward.values), 0.0, None)))
    return most > 0 and finite_median(spread.values) >= WHOLE * most


def limit_was_lowered(outcome: Outcome, run: Run) -> bool:
    """Whether completions stop dead at a length that they exceeded before, whatever the settings said at the start."""
    return length_limit_was_lowered(run)


def limit_truncates_samples(outcome: Outcome, run: Run) -> bool:
    """Whether samples are truncated from the first table on at the configured limit, though a few end before it."""
    limit, tables = hard_maximum(run.get("length_max")), run.samples.steps
    is_configured = limit is not None and limit.value == run.settings.number("max_tokens")
    from_the_start = outcome.first_step == (tables[0] if tables else None)
    if not (from_the_start and is_configured) or stop_token_is_overridden(outcome, run):
        return False
    return some_completions_end(outcome, run)


def eos_was_suppressed_midway(outcome: Outcome, run: Run) -> bool:
    """Whether sampling forbids the end below a fixed length since some step of the run."""
    return eos_was_suppressed(run)


def eos_was_missed_midway(outcome: Outcome, run: Run) -> bool:
    """Whether completions run on past their own end since a step at which nothing else changed."""
    return eos_was_replaced(run) or eos_is_ignored(run)


def stop_token_is_overridden(outcome: Outcome, run: Run) -> bool:
    """Whether the settings name a stop token other than the model's own, and few completions ever ended at it."""
    return run.settings.value("stop_token_id") is not None and truncates_from_the_start(outcome, run)


def has_no_stop_token(outcome: Outcome, run: Run) -> bool:
    """Whether PPO is told to fill every completion up to the limit: the end token is then one like any other."""
    is_unset = run.settings.value("stop_token", "not stated") is None
    return is_unset and run.settings.value("stop_token_id") is None


def has_stop_token(outcome: Outcome, run: Run) -> bool:
    return not has_no_stop_token(outcome, run)


def some_completions_end(outcome: Outcome, run: Run) -> bool:
    """Whether a few completions have ended all along: the model knows how to, so the limit cuts off the others."""
    counts = _eos_at_start_and_end(run)
    return counts is not None and counts[1] > 0 and counts[0] <= 2 * counts[1] and has_stop_token(outcome, run)


def no_completion_ends(outcome: Outcome, run: Run) -> bool:
    """Whether PPO never saw an end token, and no setting keeps it away: so it is where no answer fits into the limit.

    A model that cannot end, or ends with another token, shows the same; a higher limit is what is tried soonest.
    """
    counts = _eos_at_start_and_end(run)
    is_free = has_stop_token(outcome, run) and not min_length_forbids_end(outcome, run)
    return counts is not None and not any(counts) and is_free and _end_settings_are_unchanged(run)


def ends_are_seen(run: Run) -> bool:
    """Whether enough completions ended by themselves to know that the model ends them and that their end is recognised.

    Where hardly any does, the model may not know how to, the limit may cut it off, or its end token may be another.
    """
    cut = run.get("truncated_fraction")
    if cut is not None and cut.finite.any():
        return float(np.mean(cut.values[cut.finite])) <= 1 - SOME
    counts = _eos_at_start_and_end(run)
    return not _all_are_as_long(run) if counts is None else max(counts) > 0


def _all_are_as_long(run: Run) -> bool:
    """Whether the completions of nearly every batch have the greatest length that any has: free ends scatter."""
    lengths = run.get("length_mean")
    known = np.zeros(0) if lengths is None else lengths.values[lengths.finite]
    return len(known) >= 2 * START and float(np.mean(known == known.max())) >= NEARLY_ALL


def end_is_known(run: Run) -> bool:
    """Whether completions were seen to end, or the settings name another stop token: the model is not to blame."""
    return ends_are_seen(run) or run.settings.value("stop_token_id") is not None


def most_answers_are_cut(run: Run) -> bool:
    """Whether for some steps so many answers are cut off that those of a group mostly all are.

    Then they may all earn the same. Where more end by themselves, equal rewards have another reason.
    """
    cut = run.get("truncated_fraction")
    if cut is None or cut.finite.sum() < START:
        return True
    levels = medians_of_windows(cut.values[cut.finite], START)
    return float(levels.max()) >= MOST


def eos_became_rare(outcome: Outcome, run: Run) -> bool:
    """Whether completions ended by themselves at the start, and the policy has unlearned it."""
    counts = _eos_at_start_and_end(run)
    became_rare = counts is not None and counts[0] > 2 * counts[1]
    return became_rare and _end_settings_are_unchanged(run) and length_may_pay(outcome, run)


def eos_was_never_learned(outcome: Outcome, run: Run) -> bool:
    """Whether nothing else explains that no completion ends."""
    others = (some_completions_end, eos_became_rare, min_length_forbids_end)
    return not any(explains(outcome, run) for explains in others) and _end_settings_are_unchanged(run)


def _lengths_differ(run: Run, step: int) -> bool:
    """Whether at most half of a table's completions are as long as its longest: equal lengths show no difference."""
    lengths = [length_of(sample) for sample in run.samples.of_training(step)]
    return 0 < lengths.count(max(lengths, default=0)) <= len(lengths) / 2


def _lengths_and_scores(run: Run, step: int) -> Iterator[tuple[int, float]]:
    for sample in run.samples.of_training(step):
        if sample.score is not None and math.isfinite(sample.score):
            yield length_of(sample), sample.score


def _end_settings_are_unchanged(run: Run) -> bool:
    """Whether nothing shows that how completions end was reconfigured: a setting takes effect at once."""
    changes = (length_limit_was_lowered, eos_was_suppressed, eos_was_replaced, eos_is_ignored)
    return not any(happened(run) for happened in changes)


def answers_fill_the_limit_from_the_start(outcome: Outcome, run: Run) -> bool:
    """Whether answers are as long as they may be, and were so or nearly so soon: they did not grow into the limit."""
    return outcome.severity is not Severity.INFO and _began_near_the_limit(outcome, run)


def answers_grew_into_the_limit(outcome: Outcome, run: Run) -> bool:
    return outcome.severity is not Severity.INFO and not _began_near_the_limit(outcome, run)


def _began_near_the_limit(outcome: Outcome, run: Run) -> bool:
    """Whether the mean length was at its limit within the first points, or so near that many answers were cut off."""
    lengths = run.get(outcome.metric)
    if _began_soon(outcome, run) or lengths is None or outcome.limit is None:
        return _began_soon(outcome, run)
    start = lengths.values[lengths.finite][:START]
    return len(start) > 0 and float(np.median(start)) >= NEAR * outcome.limit


def _began_soon(outcome: Outcome, run: Run) -> bool:
    """Whether a finding began within the first points of its series."""
    series = run.get(outcome.metric)
    return series is not None and (outcome.first_step or 0) <= int(series.steps[min(START, len(series)) - 1])


def _was_rare_at_the_start(outcome: Outcome, run: Run) -> bool:
    series = run.get("truncated_fraction")
    if series is None or outcome.measured is None:
        return False
    rows = math.ceil(START / max(1.0, steps_between_points(series)))  # a row is the mean of the steps since the last
    start = series.values[:rows][series.finite[:rows]]
    most = min(outcome.measured / 2, outcome.measured if outcome.limit is None else outcome.limit)
    return len(start) > 0 and float(np.median(start)) < most


def _eos_at_start_and_end(run: Run) -> tuple[float, float] | None:
    """End tokens per step, as medians over the first and the last points; None where too few are logged."""
    eos = run.get("eos_tokens")
    if eos is None or eos.finite.sum() < 2 * START:
        return None
    finite = eos.values[eos.finite]
    return float(np.median(finite[:START])), float(np.median(finite[-START:]))
