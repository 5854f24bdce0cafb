"""The score has gained only through longer answers.

What it checks
    The gain of the mean score since the first tables, and the gain among answers of equal length (quarters of the
    lengths at the start, weighted as they were then). Where more than 0.7 of the gain vanishes, and the answers have
    grown, it is info.

Why it matters
    A gain that does not show among answers of equal length comes from length alone.

When it is wrong
    Working at greater length may be right. Scores of two values, as verifiable rewards give, are not judged.

What to try
    Score answers of the same content and different lengths; penalise length.

References
    A Long Way to Go (arXiv 2310.03716): 70 to 90 % of the gain of PPO runs.
"""

import numpy as np

from diagnostics.model.outcome import Severity
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import Skipped, english
from diagnostics.rules.samples.row_measures import (
    is_graded,
    lengths_of,
    longest_first,
    score_gain,
    scores_of,
    with_scores,
)
from diagnostics.rules.samples.sample_rule import Judgement, SampleRule, not_graded, too_few_samples
from diagnostics.rules.samples.tables import Rows, View

_QUARTERS = (0.25, 0.5, 0.75)


class Limits(RuleLimits):
    """Which share of the gain may come from length."""

    info: float = limit(0.7, "of the gain", "A Long Way to Go: measured 0.7 to 0.9 on PPO")
    growth: float = limit(1.2, "× the mean length at the start", "without growth length explains nothing")
    covered: float = limit(
        0.5, "of the lengths at the start", "where fewer lengths occur again, equal lengths say nothing"
    )
    rows: int = limit(32, "samples", "eight for each quarter of the lengths")


class SmpScoreGainByLength(SampleRule[Limits]):
    """Judges the gain of the score among answers of equal length."""

    code = "SM402"
    name = "smp-score-gain-by-length"
    grade = "P"
    source = "Singhal et al. 2023 (arXiv 2310.03716): A Long Way to Go"
    limits = Limits()
    remedies = (
        "checked-reward",
        "stronger-kl",
    )
    texts = english(
        headline="The score rose because the answers became longer.",
        fired="The score of the samples rose by {gain}; {percent} % of that vanishes among answers of equal length.",
        shown="Among the longest.",
    )

    def judge(self, seen: View, limits: Limits) -> Judgement | Skipped:
        now, before = with_scores(seen.recent), with_scores(seen.first)
        if not is_graded(now):
            return not_graded()
        if not seen.can_compare or min(len(now), len(before)) < limits.rows:
            return too_few_samples("scored samples, at the start and now", limits.rows, min(len(now), len(before)))
        gain = score_gain(seen)
        has_grown = lengths_of(now).mean() >= limits.growth * lengths_of(before).mean()
        if gain is None or not has_grown:
            return Judgement(0.0, limits.info, None, "of the gain")
        kept, covered = _gain_at_equal_length(now, before)
        vanished = 1 - kept / gain
        severity = Severity.INFO if covered >= limits.covered and vanished > limits.info else None
        return Judgement(
            vanished, limits.info, severity, "of the gain", values={"gain": gain}, samples=longest_first(now)
        )


def _gain_at_equal_length(now: Rows, before: Rows) -> tuple[float, float]:
    """The gain among answers of equal length, and the share of the start's answers whose length still occurs."""
    edges = np.quantile(lengths_of(before), _QUARTERS)
    places = [np.searchsorted(edges, lengths_of(rows)) for rows in (now, before)]
    scores = [scores_of(rows) for rows in (now, before)]
    gain, covered = 0.0, 0.0
    for quarter in range(len(edges) + 1):
        later, earlier = (values[place == quarter] for values, place in zip(scores, places, strict=True))
        if len(later) and len(earlier):
            weight = len(earlier) / len(before)
            gain += weight * float(later.mean() - earlier.mean())
            covered += weight
    return (gain / covered if covered else 0.0), covered
