"""Answers copy their prompt.

What it checks
    A row is a copy if more than 0.6 of the answer's runs of eight words also occur in its prompt. The share of such
    rows, beyond the share in the first tables: 0.2 is a warning.

Why it matters
    Copied text is always on topic and always fluent, which satisfies a reward that asks for no more.

When it is wrong
    Tasks that ask for the prompt's own words (extracting, editing) copy from the start, and only a rise counts.

What to try
    Score with the prompt's own text removed, or penalise long copies. Raise the KL coefficient.

References
    Fine-Tuning Language Models from Human Preferences (arXiv 1909.08593): smart copiers.
"""

from diagnostics.model.outcome import Severity
from diagnostics.model.samples import Sample
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import Skipped, english
from diagnostics.rules.samples.sample_rule import Judgement, SampleRule
from diagnostics.rules.samples.shares import risen_shares
from diagnostics.rules.samples.tables import View
from diagnostics.rules.samples.text_measures import ngrams, units


class Limits(RuleLimits):
    """What counts as a copy, and which rise is too much."""

    row: float = limit(0.6, "of the row's 8-grams", "engineering default")
    length: int = limit(8, "words and marks", "shorter runs occur by chance")
    least: int = limit(12, "words and marks", "below it a row has fewer than five such runs")
    warning: float = limit(0.2, "of the samples, above the start", "engineering default")


class SmpPromptCopy(SampleRule[Limits]):
    """Judges what prompt and answer share."""

    code = "SM206"
    name = "smp-prompt-copy"
    grade = "P"
    source = "Ziegler et al. 2019 (arXiv 1909.08593): summaries that copy"
    limits = Limits()
    remedies = (
        "checked-reward",
        "stronger-kl",
    )
    texts = english(
        headline="Answers copy their prompt.",
        fired="{count} of the {rows} newest samples consist of their prompt's own words ({before} % at the start).",
        shown="Most of it stands in its prompt.",
    )

    def marks(self, sample: Sample, limits: Limits) -> bool:
        runs = ngrams(sample.response, limits.length)
        is_long = len(units(sample.response)) >= limits.least
        return is_long and len(runs & ngrams(sample.query, limits.length)) > limits.row * len(runs)

    def judge(self, seen: View, limits: Limits) -> Judgement | Skipped:
        return risen_shares(seen, lambda row: self.marks(row.sample, limits), {Severity.WARNING: limits.warning})
