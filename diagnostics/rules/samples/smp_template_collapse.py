"""Different prompts get the same answer: the model ignores its prompt.

What it checks
    One answer for each prompt of the newest tables, all pairs of them: their similarity (Jaccard index of the 3-grams)
    is 0.5 or more and has risen by 0.3 above that in the first tables. Or, where prompts have several answers: answers
    to different prompts have a similarity of 0.3 or more and are as similar as answers to one prompt, where they were
    at most half as similar. Or: the share of answers that can be matched to their own prompt by their words (TF-IDF)
    has halved, from well above chance, while the similarity of answers to different prompts rose by 0.1.

Why it matters
    An answer that fits every prompt earns the mean reward and nothing more. Entropy may stay high meanwhile, because
    the words vary though the content does not.

When it is wrong
    Tasks with a fixed frame around a short answer look the same. Only answers of eight or more words and marks are
    compared. A policy that stops repeating the question is rightly harder to match; hence similarity must rise as well.

What to try
    Read answers to very different prompts side by side. Sample at temperature 1, raise the KL coefficient, go
    back to a checkpoint.

References
    RAGEN-2 (arXiv 2604.06268): collapse to templates that entropy does not show; the mutual information of prompt and
    answer drops before the reward does. Matching by words is our cheap stand-in for it.
"""

import math

import numpy as np

from diagnostics.model.outcome import Severity
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import Skipped, english
from diagnostics.rules.samples.bags import own_prompt_found
from diagnostics.rules.samples.relations import mean_similarity, pairs_of
from diagnostics.rules.samples.sample_rule import Judgement, SampleRule, nothing_to_compare, too_few_samples
from diagnostics.rules.samples.shares import STANDARD_ERRORS
from diagnostics.rules.samples.tables import LEAST_GROUPS, Row, Rows, View, groups_of
from diagnostics.rules.samples.text_measures import units

JACCARD = "Jaccard index"


class Limits(RuleLimits):
    """How alike answers to different prompts may be."""

    warning: float = limit(
        0.5, "Jaccard index of 3-grams", "engineering default; unrelated answers share a few hundredths"
    )
    rise: float = limit(0.3, "above the start", "engineering default")
    least: int = limit(8, "words and marks", "shorter answers share 3-grams by chance")
    prompts: int = limit(8, "prompts", "28 pairs")
    mixed: float = limit(0.3, "Jaccard index of 3-grams", "engineering default: unrelated answers are never so alike")
    apart: float = limit(0.5, "of the likeness within a prompt", "engineering default: prompts were told apart")
    lost: float = limit(0.5, "of the share that was matched at the start", "engineering default")
    matched: float = limit(0.3, "of the answers at the start", "engineering default: well above chance")
    less_unlike: float = limit(0.1, "above the start", "engineering default")


class SmpTemplateCollapse(SampleRule[Limits]):
    """Judges how alike the answers to different prompts are."""

    code = "SM204"
    name = "smp-template-collapse"
    grade = "P"
    source = "RAGEN-2 (arXiv 2604.06268): templates that entropy does not show"
    limits = Limits()
    remedies = (
        "true-temperature",
        "stronger-kl",
        "earlier-checkpoint",
    )
    texts = english(
        headline="Different prompts get the same answer.",
        fired="The answers to different prompts share {percent} % of their 3-grams ({before} % at the start).",
        mixed="Answers to different prompts are as alike as those to one prompt: they share {percent} % and {within} % "
        "of their 3-grams ({before} % and {within_before} % at the start).",
        lost="By their words {percent} % of the answers can be matched to their own prompt, {before} % at the start.",
        shown="One of the answers to different prompts.",
    )

    def judge(self, seen: View, limits: Limits) -> Judgement | Skipped:
        if not seen.can_compare:
            return nothing_to_compare()
        now, before = _of_each_prompt(seen.recent, limits.least), _of_each_prompt(seen.first, limits.least)
        if min(len(now), len(before)) < limits.prompts:
            return too_few_samples("prompts with longer answers", limits.prompts, min(len(now), len(before)))
        alike, start = (mean_similarity(pairs_of([row.sample.response for row in rows])) for rows in (now, before))
        if alike >= limits.warning and alike - start >= limits.rise:
            values = {"before": 100 * start}
            return Judgement(alike, limits.warning, Severity.WARNING, JACCARD, values=values, samples=now)
        mixed = _prompts_no_longer_differ(seen, alike, start, limits)
        lost = _matching_fell(now, before, limits) if alike - start >= limits.less_unlike else None
        return mixed or lost or Judgement(alike, limits.warning, None, JACCARD)


def _prompts_no_longer_differ(seen: View, alike: float, start: float, limits: Limits) -> Judgement | None:
    """The finding that answers to one prompt are no longer more similar than answers to different ones."""
    within, within_before = _within_prompts(seen.recent, limits.least), _within_prompts(seen.first, limits.least)
    if within is None or within_before is None or alike < max(limits.mixed, within):
        return None
    if start > limits.apart * within_before:
        return None
    values = {"before": 100 * start, "within": 100 * within, "within_before": 100 * within_before}
    return Judgement(alike, limits.mixed, Severity.WARNING, JACCARD, "mixed", values, samples=seen.recent)


def _matching_fell(now: list[Row], before: list[Row], limits: Limits) -> Judgement | None:
    """The finding that far fewer answers match their prompt than at the start, by more than chance explains."""
    found, start = (_matching_share(rows) for rows in (now, before))
    error = math.sqrt(start * (1 - start) * (1 / len(now) + 1 / len(before)))
    if start < limits.matched or found >= limits.lost * start or start - found < STANDARD_ERRORS * error:
        return None
    values = {"before": 100 * start}
    return Judgement(found, limits.lost * start, Severity.WARNING, "of the answers", "lost", values, samples=now)


def _matching_share(rows: list[Row]) -> float:
    return own_prompt_found([row.sample.query for row in rows], [row.sample.response for row in rows])


def _within_prompts(rows: Rows, least: int) -> float | None:
    """The mean similarity of answers to one prompt; None where too few prompts have several answers."""
    long = tuple(row for row in rows if len(units(row.sample.response)) >= least)
    groups = groups_of(long)
    if len(groups) < LEAST_GROUPS:
        return None
    return float(np.mean([mean_similarity(pairs_of([row.sample.response for row in group])) for group in groups]))


def _of_each_prompt(rows: Rows, least: int) -> list[Row]:
    found: dict[str, Row] = {}
    for row in rows:
        if len(units(row.sample.response)) >= least:
            found.setdefault(row.sample.query, row)
    return list(found.values())
