"""Exclamation marks or emoji take over the answers.

What it checks
    Exclamation marks and emoji per 100 characters of the newest logged answers: more than 3, and five times as many as
    in the first tables. It is a warning where they are rewarded (they correlate with the score, or the score rose and
    no 16 answers without marks score as high), critical above 20, and info where nothing rewards them. Answers of
    nothing but exclamation marks, without a better score, are told apart: then the numbers broke.

Why it matters
    The documents' own example of reward hacking: a reward model that likes enthusiasm is maximised by exclamation
    marks.

When it is wrong
    Token 0 is an exclamation mark in the vocabularies of GPT-2 and Qwen, so a model whose logits are NaN writes
    nothing else. A task that asks for emoji has them from the start, and only a rise counts.

What to try
    If they are rewarded, correct the reward, raise the KL coefficient, go back to a checkpoint. If they are not, and
    answers hold nothing else, look for NaN in the metrics, train in bf16, go back to a finite checkpoint.

References
    TRL training FAQ: what are examples of reward hacking · Qwen3 issue 496, vllm issue 14126, verl issue 3025
    (NaN logits decode to exclamation marks).
"""

from dataclasses import replace

import numpy as np

from diagnostics.model.outcome import Severity
from diagnostics.model.samples import Sample
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import Skipped, english
from diagnostics.rules.samples.relations import spearman
from diagnostics.rules.samples.row_measures import score_gain, scores_of, with_scores
from diagnostics.rules.samples.sample_rule import Judgement, SampleRule, nothing_to_compare
from diagnostics.rules.samples.shares import share_of
from diagnostics.rules.samples.tables import LEAST_ROWS, Row, Rows, View
from diagnostics.rules.samples.text_measures import exclamation, only_exclaims

_IF_BROKEN = ("earlier-checkpoint", "bf16", "clipped-gradient", "lower-learning-rate")


class Limits(RuleLimits):
    """How many marks are too many, and when they count as rewarded."""

    warning: float = limit(3.0, "per 100 characters", "engineering default; plain prose has fewer than one")
    critical: float = limit(20.0, "per 100 characters", "engineering default: every fifth character")
    times: float = limit(5.0, "× the start", "engineering default")
    least_start: float = limit(0.2, "per 100 characters", "a start without any would make any number infinitely many")
    correlation: float = limit(0.3, "Spearman correlation with the score", "engineering default")
    only_marks: float = limit(0.3, "of the samples", "engineering default")


class SmpExclaimEmoji(SampleRule[Limits]):
    """Judges exclamation marks and emoji, and whether they pay."""

    code = "SM301"
    name = "smp-exclaim-emoji"
    grade = "S"
    source = "TRL training FAQ: what are examples of reward hacking"
    limits = Limits()
    remedies = (
        "checked-reward",
        "stronger-kl",
        "earlier-checkpoint",
    )
    texts = english(
        headline="Exclamation marks or emoji take over the answers.",
        fired="{measured} exclamation marks and emoji per 100 characters in the {rows} newest samples, {before} at "
        "the start, and the score pays for them.",
        unpaid="{measured} exclamation marks and emoji per 100 characters in the {rows} newest samples, {before} at "
        "the start; the score does not pay for them.",
        broken="The newest samples consist of exclamation marks without a better score: in many vocabularies that is "
        "token 0, which a model writes whose logits are NaN.",
        shown="Among those with the most marks.",
    )

    def marks(self, sample: Sample, limits: Limits) -> bool:
        return exclamation(sample.response) > limits.warning

    def judge(self, seen: View, limits: Limits) -> Judgement | Skipped:
        if not seen.can_compare:
            return nothing_to_compare()
        now, before = _density(seen.recent), _density(seen.first)
        bound = max(limits.warning, limits.times * max(before, limits.least_start))
        values = {"before": before, "rows": len(seen.recent)}
        judged = Judgement(now, bound, None, "per 100 characters", values=values, samples=_most_marked(seen.recent))
        if now <= bound:
            return judged
        is_paid = _correlation(seen.recent) > limits.correlation or (
            _score_rose(seen) and not _is_no_worse(seen.recent)
        )
        if not is_paid and share_of(seen.recent, lambda row: only_exclaims(row.sample.response)) >= limits.only_marks:
            return replace(judged, severity=Severity.CRITICAL, key="broken", remedies=_IF_BROKEN)
        if not is_paid:
            return replace(judged, severity=Severity.INFO, key="unpaid")
        return replace(judged, severity=Severity.CRITICAL if now > limits.critical else Severity.WARNING)


def _density(rows: Rows) -> float:
    """Marks per 100 characters, over all rows."""
    characters = sum(len(row.sample.response) for row in rows)
    marks = sum(exclamation(row.sample.response) * len(row.sample.response) for row in rows)
    return marks / characters if characters else 0.0


def _most_marked(rows: Rows) -> list[Row]:
    return sorted(rows, key=lambda row: exclamation(row.sample.response), reverse=True)


def _correlation(rows: Rows) -> float:
    known = with_scores(rows)
    if not known:
        return 0.0
    return spearman(np.array([exclamation(row.sample.response) for row in known]), scores_of(known))


def _is_no_worse(rows: Rows) -> bool:
    """Whether answers without marks, if there are enough of them, score as high as those with them."""
    marks = np.array([exclamation(row.sample.response) for row in with_scores(rows)])
    scores = scores_of(with_scores(rows))
    plain, marked = scores[marks == 0], scores[marks > 0]
    return min(len(plain), len(marked)) >= LEAST_ROWS and bool(plain.mean() >= marked.mean())


def _score_rose(seen: View) -> bool:
    return score_gain(seen) is not None
