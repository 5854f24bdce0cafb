"""What tells one cause of answers that do not end from another: how they ended before, and what the settings say."""

import itertools
import math

import numpy as np

from diagnostics.detectors.changepoint import find_break
from diagnostics.model.outcome import Outcome
from diagnostics.model.run import Run
from diagnostics.model.samples import Sample
from diagnostics.traits.length_ceiling import ceiling, end_was_held_back, end_was_missed, ends_go_unheeded, limit_fell

START = 5  # logged points that show how a run began
END_SETTINGS = ("min_new_tokens", "min_length")
LIMIT_SETTINGS = ("response_length", "max_completion_length", "max_new_tokens")
FEWEST_SAMPLES = 16  # below them a correlation says nothing
UNPAID = 0.2  # correlation of score and length, below which length is not what is paid for
AT_THE_SAME_STEP = 1  # steps between two breaks that one change made
SEARCHED = 20  # tables before a finding for three in which lengths differ
FIRST_TABLES = 3  # of samples: how answers scored before they changed


def grew(outcome: Outcome, run: Run) -> bool:
    """Whether few completions were cut off at the start against what it came to, and a policy may have learned that."""
    return _was_learned(run) and _was_rare_at_the_start(outcome, run) and length_may_pay(outcome, run)


def length_may_pay(outcome: Outcome, run: Run) -> bool:
    """Whether longer answers score higher in the tables around the finding, or no samples say that they do not."""
    tables = run.samples.steps
    before = [step for step in tables if step < (outcome.first_step or 0)][-SEARCHED:]
    around = list(itertools.islice((step for step in reversed(before) if _lengths_differ(run, step)), FIRST_TABLES))
    around += [step for step in tables if step >= (outcome.first_step or 0)][:FIRST_TABLES]
    rows = [(_length(sample), sample.score) for step in around for sample in run.samples.of_training(step)]
    known = np.array([(length, score) for length, score in rows if score is not None and math.isfinite(score)])
    if len(known) < FEWEST_SAMPLES or not known.std(axis=0).all():
        return True
    return float(np.corrcoef(known.T)[0, 1]) > UNPAID


def _lengths_differ(run: Run, step: int) -> bool:
    """Whether at most half of a table's answers are as long as its longest: equal lengths tell of no difference."""
    lengths = [_length(sample) for sample in run.samples.of_training(step)]
    return 0 < lengths.count(max(lengths, default=0)) <= len(lengths) / 2


def _length(sample: Sample) -> int:
    return sample.length or len(sample.response)


def _was_learned(run: Run) -> bool:
    """Whether nothing shows that how answers end was set: what is set changes at once."""
    return not (limit_fell(run) or end_was_held_back(run) or end_was_missed(run) or ends_go_unheeded(run))


def _was_rare_at_the_start(outcome: Outcome, run: Run) -> bool:
    series = run.get("truncated_fraction")
    if series is None or outcome.measured is None:
        return False
    start = series.values[:START][series.finite[:START]]
    return len(start) > 0 and float(np.median(start)) < outcome.measured / 2


def stood_from_the_start(outcome: Outcome, run: Run) -> bool:
    return not _was_rare_at_the_start(outcome, run)


def end_is_forbidden(outcome: Outcome, run: Run) -> bool:
    """Whether sampling may not end an answer before half of its limit: then it is no wonder that few ends are seen."""
    fewest, limit = (_largest(run, names) for names in (END_SETTINGS, LIMIT_SETTINGS))
    return fewest > 0 and fewest >= limit / 2


def limit_cuts(outcome: Outcome, run: Run) -> bool:
    """Whether completions were cut off from the start on, and nothing but the limit keeps them from ending."""
    return stood_from_the_start(outcome, run) and not end_is_forbidden(outcome, run) and _was_learned(run)


def limit_was_lowered(outcome: Outcome, run: Run) -> bool:
    """Whether answers stop dead at a length that they went beyond before, whatever the settings said at the start."""
    return limit_fell(run)


def limit_cuts_from_the_start(outcome: Outcome, run: Run) -> bool:
    """Whether samples are cut off from the first table on at the configured limit, though a few end before it."""
    limit, first = ceiling(run), run.samples.steps[0] if run.samples.steps else None
    is_the_limit = limit is not None and limit.tokens == _largest(run, LIMIT_SETTINGS)
    are_cut = outcome.first_step == first and is_the_limit and not another_end_is_set(outcome, run)
    return are_cut and some_end_by_themselves(outcome, run)


def answers_are_whole(outcome: Outcome, run: Run) -> bool:
    """Whether no lowered limit cut the answers: the mean over their first tokens alone is that of other tokens."""
    wall = ceiling(run) if limit_fell(run) else None
    left = find_break(run.get("entropy_per_token"))
    return wall is None or left is None or abs(left.step - wall.step) > AT_THE_SAME_STEP


def end_was_withheld(outcome: Outcome, run: Run) -> bool:
    """Whether answers stopped to end before a fixed length at once: sampling forbids it since then."""
    return end_was_held_back(run)


def end_was_overrun(outcome: Outcome, run: Run) -> bool:
    """Whether answers run on past their own end since a step at which nothing else changed."""
    return end_was_missed(run) or ends_go_unheeded(run)


def another_end_is_set(outcome: Outcome, run: Run) -> bool:
    """Whether the settings name another token than the model's own end: few answers end at it, so it is suspect."""
    return run.config.get("stop_token_id") is not None and stood_from_the_start(outcome, run)


def stops_at_no_token(outcome: Outcome, run: Run) -> bool:
    """Whether PPO is told to write every answer to the limit: the end token is then one like any other."""
    named = run.config.get("stop_token", "the end") is not None or run.config.get("stop_token_id") is not None
    return not named


def stops_at_a_token(outcome: Outcome, run: Run) -> bool:
    return not stops_at_no_token(outcome, run)


def some_end_by_themselves(outcome: Outcome, run: Run) -> bool:
    """Whether a few answers have ended all along: the model knows how to, so that the limit cuts off the others."""
    ends = _ends_at_start_and_end(run)
    return ends is not None and ends[1] > 0 and ends[0] <= 2 * ends[1] and stops_at_a_token(outcome, run)


def ends_became_rare(outcome: Outcome, run: Run) -> bool:
    """Whether answers ended by themselves at the start: what they no longer do, the policy has unlearned."""
    ends = _ends_at_start_and_end(run)
    return ends is not None and ends[0] > 2 * ends[1] and _was_learned(run) and length_may_pay(outcome, run)


def none_has_learned_to_end(outcome: Outcome, run: Run) -> bool:
    known = (some_end_by_themselves, ends_became_rare, end_is_forbidden)
    return not any(explains(outcome, run) for explains in known) and _was_learned(run)


def _largest(run: Run, names: tuple[str, ...]) -> float:
    stated = [run.config[name] for name in names if isinstance(run.config.get(name), int | float)]
    return max(stated, default=0.0)


def _ends_at_start_and_end(run: Run) -> tuple[float, float] | None:
    """End tokens per step, as medians over the first and the last points; None where too few are logged."""
    ends = run.get("eos_tokens")
    if ends is None or ends.finite.sum() < 2 * START:
        return None
    finite = ends.values[ends.finite]
    return float(np.median(finite[:START])), float(np.median(finite[-START:]))
