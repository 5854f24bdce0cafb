"""The scores fall into two clusters with nothing between them.

What it checks
    The scores of the newest logged answers are split in two where that fits best: the clusters' means lie more than
    five of their deviations apart, and each cluster holds a tenth of the rows: info. Only raw scores of PPO's reward
    model are judged: not scores within 0 and 1, which a sigmoid or a grader pushes to the ends, and not marks. A
    score is a mark where four different answers or more share it, on average or in most rows: a grader gives few
    marks, or full ones to all that is right, and answers fall into heaps by them.

Why it matters
    Two clusters mean that a single feature decides the score. If the model can switch it on, it will.

When it is wrong
    Two kinds of prompts may rightly score differently. The rule does not apply where the logged rows were chosen by
    their score (`num_completions_to_log`).

What to try
    Read three rows of each cluster and look for what sets them apart.

References
    Engineering default.
"""

import numpy as np

from diagnostics.model.algorithms import PPO_FAMILY
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.model.series import Values
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import Skipped, english
from diagnostics.rules.samples.row_measures import are_marks, is_graded, scores_of, with_scores
from diagnostics.rules.samples.sample_rule import Judgement, SampleRule, too_few_samples
from diagnostics.rules.samples.tables import Row, Rows, View


class Limits(RuleLimits):
    """How far apart two clusters may lie."""

    info: float = limit(5.0, "deviations", "a uniform spread has 3.5, a normal one 2.6")
    share: float = limit(0.1, "of the samples", "fewer are outliers")
    rows: int = limit(32, "samples", "three in the smaller heap")
    answers_per_mark: float = limit(4.0, "different answers with the same score", "engineering default")


class SmpBimodal(SampleRule[Limits]):
    """Judges the distribution of the samples' scores."""

    code = "SM407"
    name = "smp-bimodal"
    grade = "F"
    source = "engineering default"
    algorithms = PPO_FAMILY
    limits = Limits()
    remedies = ("checked-reward",)
    texts = english(
        headline="The scores fall into two heaps.",
        fired="The scores of the newest samples lie around {low} and around {high}, with nothing between.",
        shown="At one end of the two heaps.",
        marks="The scores are marks: they stay within 0 and 1, or many different answers share one.",
        marks_enable="Nothing is missing; the check is about the raw scores of a reward model.",
    )

    def applies(self, run: Run) -> bool:
        """Not where a few rows were chosen by their score, which makes two clusters of any scores."""
        return super().applies(run) and not run.settings.is_on("num_completions_to_log")

    def judge(self, seen: View, limits: Limits) -> Judgement | Skipped:
        known = with_scores(seen.recent)
        if len(known) < limits.rows:
            return too_few_samples("scored samples", limits.rows, len(known))
        scores = np.sort(scores_of(known))
        within_marks = not is_graded(known) or (scores[0] >= 0 and scores[-1] <= 1)
        if within_marks or are_marks(known, limits.answers_per_mark):
            return Skipped(self.message("marks"), self.message("marks_enable"), applies=False)
        split, apart = _best_split(scores, limits.share)
        severity = Severity.INFO if apart > limits.info else None
        values = {"low": float(scores[:split].mean()), "high": float(scores[split:].mean())}
        return Judgement(apart, limits.info, severity, "deviations", values=values, samples=_extremes(known))


def _best_split(scores: Values, share: float) -> tuple[int, float]:
    """The best split of sorted scores (N,), and how many deviations the means of its two parts are apart."""
    edge = max(1, int(share * len(scores)))
    spreads = {at: _pooled_deviation(scores[:at], scores[at:]) for at in range(edge, len(scores) - edge + 1)}
    split = min(spreads, key=lambda at: spreads[at])
    gap = float(scores[split:].mean() - scores[:split].mean())
    return split, gap / max(spreads[split], 1e-9 * max(1.0, gap))


def _pooled_deviation(low: Values, high: Values) -> float:
    """The pooled deviation within the two parts."""
    return float(np.sqrt((low.var() * len(low) + high.var() * len(high)) / (len(low) + len(high))))


def _extremes(rows: Rows) -> list[Row]:
    ordered = sorted(rows, key=lambda row: row.sample.score or 0.0)
    return [ordered[0], ordered[-1], ordered[1]]
