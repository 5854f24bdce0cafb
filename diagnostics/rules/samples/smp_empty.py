"""Sampled answers are empty, or have shrunk to almost nothing.

What it checks
    The share of the newest logged answers that hold nothing but white space and special tokens, or fewer than three
    words where more than half of the answers at the start had ten or more: 0.05 is a warning, 0.3 is critical. What
    counts is the lower Wilson bound of the share, three standard errors wide: of 48 rows that takes 7 and 24.

Why it matters
    Ending at once is the easiest way to avoid a penalty on length or on KL. An empty answer cannot be right; the cause
    is a reward that pays for it anyway.

When it is wrong
    A task whose right answer may be empty (nothing to extract, no error found) looks the same.

What to try
    Call the reward on an empty answer: it must score worst. Weaken any length penalty, look for a negative KL.

References
    MedicalGPT issue 374 (empty answers at a KL of −233) · a public run that ended at 1.15 tokens per answer.
"""

from diagnostics.detectors.proportions import lower_bound_of_share
from diagnostics.model.outcome import Severity
from diagnostics.model.samples import Sample
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import Skipped, english
from diagnostics.rules.samples.sample_rule import Judgement, SampleRule
from diagnostics.rules.samples.shares import judge_share
from diagnostics.rules.samples.tables import Row, View
from diagnostics.rules.samples.text_measures import units

HALF = 0.5  # of the answers at the start


class Limits(RuleLimits):
    """Which share of empty answers is too much."""

    warning: float = limit(0.05, "fraction", "engineering default")
    critical: float = limit(0.3, "fraction", "engineering default")
    fewest: int = limit(3, "words and marks", "fewer say nothing where a sentence is due")
    full: int = limit(10, "words and marks", "of most answers at the start, from which on three are too few")


class SmpEmpty(SampleRule[Limits]):
    """Judges how many words the newest answers have."""

    code = "SM102"
    name = "smp-empty"
    grade = "I"
    source = "public run that ended at 1.15 tokens per answer (nexus-coder)"
    limits = Limits()
    remedies = (
        "checked-reward",
        "free-end",
    )
    texts = english(
        headline="Answers are empty.",
        fired="{count} of the {rows} newest samples are empty or hardly more ({before} % at the start).",
        shown="Next to nothing was said.",
    )

    def marks(self, sample: Sample, limits: Limits) -> bool:
        return not units(sample.response)

    def judge(self, seen: View, limits: Limits) -> Judgement | Skipped:
        full = sum(len(units(row.sample.response)) >= limits.full for row in seen.first)
        fewest = limits.fewest if lower_bound_of_share(full, len(seen.first)) >= HALF else 1

        def is_empty(row: Row) -> bool:
            return len(units(row.sample.response)) < fewest

        levels = {Severity.WARNING: limits.warning, Severity.CRITICAL: limits.critical}
        return judge_share(seen, is_empty, levels, order=lambda row: -len(row.sample.response))
