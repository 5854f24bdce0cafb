"""Answers repeat the same words over and over.

What it checks
    How many of a row's runs of three words occurred in it before (1 − distinct 3-grams / 3-grams). The share of rows
    above 0.5, beyond the share in the first tables: 0.1 is a warning, 0.3 is critical. A mean over all rows of twice
    that of the first tables is a warning too, where it has risen by 0.1 and by more than chance explains.

Why it matters
    Repetition is cheap text: it fills a rewarded length, repeats a rewarded word, or is the output of a broken model.

When it is wrong
    Lists, tables and code repeat themselves; only a rise above the start counts. Rows of fewer than twelve
    words and marks are not judged.

What to try
    Read the rows. With a high score: correct the reward, raise the KL coefficient. With a low one: go back to a
    checkpoint, lower the learning rate.

References
    Demystifying Long Chain-of-Thought Reasoning (arXiv 2502.03373) · TRL get_repetition_penalty_reward (the
    same formula).
"""

import math

import numpy as np

from diagnostics.model.outcome import Severity
from diagnostics.model.samples import Sample
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import Skipped, english
from diagnostics.rules.samples.sample_rule import Judgement, SampleRule
from diagnostics.rules.samples.shares import STANDARD_ERRORS, risen_shares
from diagnostics.rules.samples.tables import LEAST_ROWS, Row, View
from diagnostics.rules.samples.text_measures import repetition, units


class Limits(RuleLimits):
    """What counts as repetition, and which rise is too much."""

    row: float = limit(0.5, "of the row's 3-grams", "engineering default")
    least: int = limit(12, "words and marks", "below it ten 3-grams or fewer are counted")
    warning: float = limit(0.1, "of the samples, above the start", "engineering default")
    critical: float = limit(0.3, "of the samples, above the start", "engineering default")
    times: float = limit(2.0, "× the mean of the first tables", "engineering default")
    rise: float = limit(0.1, "of the 3-grams, above the start", "engineering default")


class SmpRepetition(SampleRule[Limits]):
    """Judges repeated 3-grams within each answer."""

    code = "SM201"
    name = "smp-repetition"
    grade = "P"
    source = "Demystifying Long Chain-of-Thought (arXiv 2502.03373), appendix C.2: n-gram repetition"
    limits = Limits()
    remedies = (
        "checked-reward",
        "stronger-kl",
        "earlier-checkpoint",
    )
    texts = english(
        headline="Answers repeat themselves over and over.",
        fired="{count} of the {rows} newest samples consist of repetition ({before} % at the start).",
        mean="{percent} % of the 3-grams of an answer occurred in it before, on average of {rows} newest samples "
        "({before} % at the start).",
        shown="Most of its 3-grams occurred in it before.",
    )

    def marks(self, sample: Sample, limits: Limits) -> bool:
        return len(units(sample.response)) >= limits.least and repetition(sample.response) > limits.row

    def judge(self, seen: View, limits: Limits) -> Judgement | Skipped:
        levels = {Severity.WARNING: limits.warning, Severity.CRITICAL: limits.critical}
        found = risen_shares(
            seen, lambda row: self.marks(row.sample, limits), levels, order=lambda row: repetition(row.sample.response)
        )
        if isinstance(found, Skipped) or found.severity is not None:
            return found
        return _repetition_doubled(seen, limits) or found


def _repetition_doubled(seen: View, limits: Limits) -> Judgement | None:
    """The finding that answers repeat themselves twice as much as before, though none is mostly repetition."""
    rows = sorted((row for row in seen.recent if _is_long(row, limits)), key=_repetition, reverse=True)
    now, before = ([_repetition(row) for row in part if _is_long(row, limits)] for part in (rows, seen.first))
    if min(len(now), len(before)) < LEAST_ROWS:
        return None
    mean, start = float(np.mean(now)), float(np.mean(before))
    error = math.sqrt(float(np.var(now)) / len(now) + float(np.var(before)) / len(before))
    if mean < limits.times * start or mean - start < max(limits.rise, STANDARD_ERRORS * error):
        return None
    bound, values = max(limits.times * start, start + limits.rise), {"before": 100 * start, "rows": len(now)}
    return Judgement(mean, bound, Severity.WARNING, "fraction", "mean", values, samples=rows)


def _is_long(row: Row, limits: Limits) -> bool:
    return len(units(row.sample.response)) >= limits.least


def _repetition(row: Row) -> float:
    return repetition(row.sample.response)
