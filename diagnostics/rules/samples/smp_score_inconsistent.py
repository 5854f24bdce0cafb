"""The same answer gets different scores.

What it checks
    Answers of the same text to the same query, of the same length and ending, in the newest twelve tables: where a
    fifth of these pairs, and at least two, differ in score by more than 0.01 of the scores' range, it is a warning.
    Where scores are normalised by earlier ones, only answers of the same step are compared.

Why it matters
    Whatever the grader decides by chance cannot be learned, and hides what can.

When it is wrong
    A reward may depend on more than query and answer (elapsed time, tool calls, a judge that samples on purpose). A
    reward function that was changed on purpose shows for twelve tables.

What to try
    Score one answer ten times. Set a judge's temperature to 0, put a random reward function into evaluation
    mode.

References
    By definition: a reward is a function of query and answer.
"""

import math
from collections.abc import Callable, Hashable
from itertools import combinations

import numpy as np

from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import Skipped, english
from diagnostics.rules.samples.row_measures import scores_of, with_scores
from diagnostics.rules.samples.sample_rule import Judgement, SampleRule, too_few_samples
from diagnostics.rules.samples.tables import LEAST_ROWS, Row, Rows, View, view

"""Settings that make a score depend on the scores before it, so that it is the same within a step only."""
MOST_EQUAL = 16  # copies of the same answer that are compared with each other
SMALLEST = 1e-6  # float noise of equal scores


class Limits(RuleLimits):
    """When equal answers are scored too differently."""

    warning: float = limit(0.2, "of the pairs", "engineering default")
    pairs: int = limit(2, "pairs", "one may be an accident")
    difference: float = limit(0.01, "of the range of the scores", "rounding of the logged numbers")


class SmpScoreInconsistent(SampleRule[Limits]):
    """Judges pairs of equal answers to one query."""

    code = "SM405"
    name = "smp-score-inconsistent"
    grade = "C"
    source = "equal inputs, different outputs: the grader is not a function"
    limits = Limits()
    remedies = ("checked-reward",)
    pooled = 12  # tables: the same answer to the same query recurs only now and then
    texts = english(
        headline="The same answer gets different scores.",
        fired="{count} of {pairs} pairs of the same answer to the same query scored differently.",
        shown="The same answer as another one, with another score.",
    )

    def judge(self, seen: View, limits: Limits) -> Judgement | Skipped:
        return _judgement(seen, limits, _same_answer)

    def _judged(self, run: Run, table: int, limits: Limits) -> Judgement | Skipped:
        if not run.settings.is_on("use_score_scaling"):
            return super()._judged(run, table, limits)
        seen = view(run, table, self.pooled)
        if len(seen.recent) < LEAST_ROWS:
            return too_few_samples("samples", LEAST_ROWS, len(seen.recent))
        return _judgement(seen, limits, lambda row: (row.step, _same_answer(row)))


def _judgement(seen: View, limits: Limits, key: Callable[[Row], Hashable]) -> Judgement | Skipped:
    known = with_scores(seen.recent)
    equals = _equal_answers(known, key)
    if not equals:
        return too_few_samples("scored answers that occur twice", 2, 0)
    allowed = limits.difference * float(np.ptp(scores_of(known)))
    pairs = [pair for rows in equals for pair in combinations(rows[:MOST_EQUAL], 2)]
    torn = [(one, other) for one, other in pairs if abs(_score(one) - _score(other)) > max(allowed, SMALLEST)]
    share = len(torn) / len(pairs)
    if share >= limits.warning and len(torn) < limits.pairs:  # it may be an accident, and too few others agree
        return too_few_samples(
            "scored answers that occur twice", math.floor(len(torn) / limits.warning) + 1, len(pairs)
        )
    severity = Severity.WARNING if share >= limits.warning else None
    values = {"count": len(torn), "pairs": len(pairs)}
    return Judgement(share, limits.warning, severity, "of the pairs", values=values, samples=sum(torn[:2], ()))


def _score(row: Row) -> float:
    return row.sample.score or 0.0


def _same_answer(row: Row) -> Hashable:
    """What a reward depends on: query, text, length and ending."""
    sample = row.sample
    return sample.query, sample.response, sample.terminated, sample.length


def _equal_answers(rows: Rows, key: Callable[[Row], Hashable]) -> list[Rows]:
    """The rows of the same answer, where there are two or more."""
    found: dict[Hashable, list[Row]] = {}
    for row in rows:
        found.setdefault(key(row), []).append(row)
    return [tuple(equal) for equal in found.values() if len(equal) > 1]
