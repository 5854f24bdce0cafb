"""Every answer gets the same score.

What it checks
    The scores of all samples in the ten newest tables: a single value is a warning. The full mark of 1 is not judged,
    nor is a value that earlier samples earned less than: then all have come to earn the most.

Why it matters
    Where scores do not differ there is nothing to learn from. The grader never matches, raises and returns its
    default, or the task is out of reach.

When it is wrong
    A sparse reward may stay at 0 for longer than ten steps before the first success.

What to try
    Call the reward on an answer that must score and on one that must not. Use easier prompts first.

References
    TRL issue 3857 (four of five reward functions constant) · TRL issue 5697 (all answers cut off, all rewards
    0).
"""

import numpy as np

from diagnostics.model.outcome import Severity
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import Skipped, english
from diagnostics.rules.samples.row_measures import scores_of, with_scores
from diagnostics.rules.samples.sample_rule import Judgement, SampleRule, skipped_without, too_few_samples
from diagnostics.rules.samples.tables import View


class Limits(RuleLimits):
    """How long scores may be equal."""

    tables: int = limit(10, "tables", "engineering default")
    spread: float = limit(1e-6, "reward", "float noise of equal scores")
    full_mark: float = limit(1.0, "reward", "most graders give 0 to 1")


class SmpScoreIdentical(SampleRule[Limits]):
    """Judges the spread of the samples' scores."""

    code = "SM404"
    name = "smp-score-identical"
    grade = "C"
    source = "an advantage is a difference: equal scores give none"
    limits = Limits()
    remedies = ("checked-reward",)
    pooled = 10  # tables
    texts = english(
        headline="Every answer gets the same score.",
        fired="All {rows} newest samples scored {score}.",
        shown="Scored like all others.",
    )

    def judge(self, seen: View, limits: Limits) -> Judgement | Skipped:
        tables = len({row.step for row in seen.recent})
        if tables < limits.tables:
            return too_few_samples("tables of samples", limits.tables, tables)
        known = with_scores(seen.recent)
        if not known:
            return skipped_without("a score that is a number")
        spread = float(np.ptp(scores_of(known)))
        score = float(scores_of(known)[0])
        is_earned = score == limits.full_mark or _was_reached(seen, score, limits)
        severity = Severity.WARNING if spread <= limits.spread and not is_earned else None
        values = {"score": score, "rows": len(known)}
        return Judgement(spread, limits.spread, severity, "reward", values=values, samples=known)


def _was_reached(seen: View, score: float, limits: Limits) -> bool:
    """Whether samples of the first tables scored less, and none more."""
    before = scores_of(with_scores(seen.first))
    return (
        len(before) > 0 and float(before.min()) < score - limits.spread and float(before.max()) <= score + limits.spread
    )
