"""The same answer gets different scores.

What it checks
    Answers of the same text to the same query in the same step, equally long and ended alike: where a fifth of
    these pairs, and two at least, differ in score by more than 0.01 of the scores' range, it is a warning.

Why it matters
    What the grader decides by chance cannot be learned, and hides what can.

When it is wrong
    A reward that depends on more than query and answer (the time it took, tool calls, a judge that samples on
    purpose).

What to try
    Score one answer ten times. Set a judge's temperature to 0, put a random reward function into evaluation
    mode.

References
    By definition: a reward is a function of query and answer.
"""

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from diagnostics.diagnosis import Severity
from diagnostics.rules.rule import Skipped, english, limit
from diagnostics.rules.samples.sample_rule import (
    Judgement,
    SampleRule,
    scored,
    scores_of,
    too_few_samples,
)
from diagnostics.rules.samples.tables import Row, Rows, View

SMALLEST = 1e-6  # float noise of equal scores


@dataclass(frozen=True, slots=True)
class Limits:
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
    texts = english(
        headline="The same answer gets different scores.",
        fired="{count} of {pairs} pairs of the same answer to the same query scored differently.",
        shown="The same answer as another one, with another score.",
    )

    def judge(self, seen: View, limits: Limits) -> Judgement | Skipped:
        known = scored(seen.recent)
        equals = _equal_answers(known)
        if not equals:
            return too_few_samples("scored answers that occur twice in a step", 2, 0)
        allowed = limits.difference * float(np.ptp(scores_of(known)))
        pairs = [pair for rows in equals for pair in combinations(rows, 2)]
        torn = [pair for pair in pairs if abs(float(np.diff(scores_of(pair))[0])) > max(allowed, SMALLEST)]
        share = len(torn) / len(pairs)
        severity = Severity.WARNING if share >= limits.warning and len(torn) >= limits.pairs else None
        values = {"count": len(torn), "pairs": len(pairs)}
        return Judgement(share, limits.warning, severity, "of the pairs", values=values, exhibits=sum(torn[:2], ()))


def _equal_answers(rows: Rows) -> list[Rows]:
    """The rows that share step, query and text, and ended alike, where there are two or more."""
    found: dict[tuple[object, ...], list[Row]] = {}
    for row in rows:
        sample = row.sample
        key = (row.step, sample.query, sample.response, sample.terminated, sample.length)
        found.setdefault(key, []).append(row)
    return [tuple(equal) for equal in found.values() if len(equal) > 1]
