"""The score follows the length of the answer.

What it checks
    The rank correlation of score and length over the newest logged answers, where these have grown by half since the
    first tables. Above 0.6, and clearly higher than it was there, it is info; above 0.9 it is a warning, or info where
    it was no lower at the start: then the task itself asks for length, as counting does. Where several
    answers to a prompt are logged, as in GRPO, ranks are taken within the prompt: a prompt that needs long answers and
    earns much says nothing about length. Answers to a prompt that all score the same do not count.

Why it matters
    Length is the easiest thing to optimise. In published PPO runs most of the gain in reward came from longer
    answers.

When it is wrong
    Harder work may need longer answers. Scores of two values, as verifiable rewards give, are not judged, because a
    right scratchpad is longer than a wrong guess. Rows chosen for their scores correlate more strongly than all rows
    do.

What to try
    Score answers of the same content and different lengths. Penalise length, or subtract what length alone explains
    from the reward.

References
    A Long Way to Go (arXiv 2310.03716).
"""

from itertools import chain

import numpy as np

from diagnostics.model.outcome import Severity
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import Skipped, english
from diagnostics.rules.samples.relations import spearman, spearman_within
from diagnostics.rules.samples.row_measures import is_graded, lengths_of, longest_first, scores_of, with_scores
from diagnostics.rules.samples.sample_rule import Judgement, SampleRule, not_graded, too_few_samples
from diagnostics.rules.samples.tables import Rows, View, groups_of

_CERTAIN = 0.999  # a correlation of 1 has no finite Fisher transform


class Limits(RuleLimits):
    """How closely the score may follow the length."""

    info: float = limit(
        0.6, "Spearman correlation", "engineering default: 0.5, which rows chosen for their extreme scores raise to 0.6"
    )
    rise: float = limit(0.2, "above the start", "engineering default")
    standard_errors: float = limit(3.0, "standard errors of the rise", "about one false note in 700 looks")
    warning: float = limit(0.9, "Spearman correlation", "engineering default: the score is hardly more than the length")
    growth: float = limit(1.5, "× the median length at the start", "engineering default")
    rows: int = limit(32, "samples", "the standard error of a correlation is then below 0.2")


class SmpScoreLength(SampleRule[Limits]):
    """Judges the rank correlation of score and length."""

    code = "SM401"
    name = "smp-score-length"
    grade = "P"
    source = "Singhal et al. 2023 (arXiv 2310.03716): A Long Way to Go"
    limits = Limits()
    remedies = (
        "checked-reward",
        "stronger-kl",
    )
    texts = english(
        headline="The score follows the length of the answer.",
        fired="Score and length of the {rows} newest samples have a rank correlation of {measured} ({before} at the "
        "start).",
        shown="Among the longest.",
    )

    def judge(self, seen: View, limits: Limits) -> Judgement | Skipped:
        now, before = with_scores(seen.recent), with_scores(seen.first)
        if not is_graded(now):
            return not_graded()
        within = min(map(_repeated_prompts, (now, before))) >= limits.rows
        free = [_repeated_prompts(_of_different_scores(rows)) if within else len(rows) for rows in (now, before)]
        if not seen.can_compare or min(free) < limits.rows:
            return too_few_samples("scored samples, at the start and now", limits.rows, min(free))
        rho, start = (_within_prompts(rows) if within else _correlation(rows) for rows in (now, before))
        error = np.sqrt(sum(1 / (count - 3) for count in free))
        has_risen = np.arctanh(rho) - np.arctanh(start) >= limits.standard_errors * error and rho - start >= limits.rise
        has_grown = np.median(lengths_of(now)) >= limits.growth * np.median(lengths_of(before))
        is_close = rho > limits.warning
        severity = Severity.INFO if has_grown and (is_close or (rho > limits.info and has_risen)) else None
        severity = Severity.WARNING if has_grown and is_close and has_risen else severity
        bound = limits.warning if is_close else limits.info
        values = {"before": start, "rows": len(now)}
        return Judgement(rho, bound, severity, "Spearman correlation", values=values, samples=longest_first(now))


def _correlation(rows: Rows) -> float:
    return float(np.clip(spearman(scores_of(rows), lengths_of(rows)), -_CERTAIN, _CERTAIN))


def _within_prompts(rows: Rows) -> float:
    pairs = [(scores_of(group), lengths_of(group)) for group in groups_of(rows)]
    return float(np.clip(spearman_within(pairs), -_CERTAIN, _CERTAIN))


def _of_different_scores(rows: Rows) -> Rows:
    """The rows whose prompt was answered with more than one score."""
    return tuple(chain.from_iterable(group for group in groups_of(rows) if np.ptp(scores_of(group)) > 0))


def _repeated_prompts(rows: Rows) -> int:
    """How many answers there are beyond the first one to each prompt."""
    return sum(len(group) - 1 for group in groups_of(rows))
