"""What tells apart causes in the length of answers: whether length pays, or brevity."""

import math
from collections.abc import Collection, Sequence

import numpy as np

from diagnostics.model.outcome import Outcome
from diagnostics.model.run import Run
from diagnostics.model.samples import Sample
from diagnostics.model.series import Values

TABLES = 3  # sample tables that show how completions scored at the start, and how they do now
FEWEST = 32  # scored completions on either side
GROWN = 1.2  # × the mean length at the start; without growth length explains nothing
STANDARD_ERRORS = 3.0  # of a gain that is not chance
GOES_WITH = 0.8  # correlation of score and length at the start: two thirds of what tells scores apart
LEFT = 0.25  # of the gain; A Long Way to Go (arXiv 2310.03716) measured 0.1 to 0.3 where longer answers pay


def length_of(sample: Sample) -> int:
    """The length of a completion in tokens, or else in characters."""
    return sample.length or len(sample.response)


def longer_pays(outcome: Outcome, run: Run) -> bool:
    """Whether the reward was found to follow the length of the answers, and not their brevity."""
    return outcome.message.template == "reward-follows-length.longer"


def shorter_pays(outcome: Outcome, run: Run) -> bool:
    return outcome.message.template == "reward-follows-length.shorter"


def only_the_reward_shows_it(run: Run, rules: Collection[str]) -> bool:
    """Whether nothing but the reward that follows the length shows a cause in the length."""
    return {*rules} == {"reward-follows-length"}


def length_alone_pays(run: Run) -> bool:
    """Whether samples show that completions score by their length: they did at the start, and now score as it predicts.

    The line is fitted to the first tables, before anything was learned; a policy that has since found another way to
    score lies above it.
    """
    tables = run.samples.steps
    if len(tables) <= TABLES:
        return False
    before, now = (_lengths_and_scores(run, steps) for steps in (tables[:TABLES], tables[TABLES:][-TABLES:]))
    if min(len(before), len(now)) < FEWEST or not before.std(axis=0).all():
        return False
    lengths, scores = now.T
    lengths_before, scores_before = before.T
    grown, gain = lengths.mean() - lengths_before.mean(), scores.mean() - scores_before.mean()
    if grown < (GROWN - 1) * lengths_before.mean() or gain <= STANDARD_ERRORS * _error(scores, scores_before):
        return False
    goes_with = float(np.corrcoef(lengths_before, scores_before)[0, 1])
    slope = goes_with * scores_before.std() / lengths_before.std()
    return bool(goes_with >= GOES_WITH and gain - slope * grown <= LEFT * gain)


def proves_that_length_pays(outcome: Outcome, run: Run) -> bool:
    return length_alone_pays(run)


def _error(some: Values, others: Values) -> float:
    """The standard error of the difference of two means."""
    return math.sqrt(float(some.var()) / len(some) + float(others.var()) / len(others))


def _lengths_and_scores(run: Run, steps: Sequence[int]) -> Values:
    """(N, 2) The length and the score of each scored completion of these steps."""
    scored = (
        (length_of(sample), sample.score)
        for step in steps
        for sample in run.samples.of_training(step)
        if sample.score is not None and math.isfinite(sample.score)
    )
    return np.array([*scored], dtype=np.float64).reshape(-1, 2)
