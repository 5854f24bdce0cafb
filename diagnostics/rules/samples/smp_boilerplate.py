"""Answers start with the same phrase.

What it checks
    The share of the newest logged answers of eight or more words that begin with the same five words, or with a phrase
    such as `As an AI language model` or `Certainly`, beyond the share in the first tables: 0.5 is info.

Why it matters
    Openings that a reward model likes are learned first and cost nothing. They are the mildest form of
    over-optimisation, and often the first to appear.

When it is wrong
    Reasoning models are taught to begin every thought alike, so the finding is never more than info.

What to try
    Read the rows. Where the phrase itself is rewarded, remove it before scoring.

References
    rlhf-book, chapter 14 (over-optimisation) · Open Problems and Limitations of RLHF (arXiv 2307.15217).
"""

from collections import Counter

from diagnostics.model.outcome import Severity
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import Skipped, english
from diagnostics.rules.samples.sample_rule import Judgement, SampleRule
from diagnostics.rules.samples.shares import risen_shares
from diagnostics.rules.samples.tables import Row, View
from diagnostics.rules.samples.text_measures import words

_PHRASES = ("as an ai language", "as an ai assistant", "as a large language", "certainly", "sure here is")


class Limits(RuleLimits):
    """Which rise is worth reporting."""

    info: float = limit(0.5, "of the samples, above the start", "engineering default")
    least: int = limit(8, "words", "a shorter answer is hardly more than its opening")
    words: int = limit(5, "words", "engineering default")


class SmpBoilerplate(SampleRule[Limits]):
    """Judges the first words of each answer."""

    code = "SM205"
    name = "smp-boilerplate"
    grade = "P"
    source = "rlhf-book, chapter 14: phrases that reward models like"
    limits = Limits()
    remedies = (
        "checked-reward",
        "stronger-kl",
    )
    texts = english(
        headline="Answers start with the same phrase.",
        fired="{count} of the {rows} newest samples start with the same phrase ({before} % at the start).",
        shown="It starts like most of them.",
    )

    def judge(self, seen: View, limits: Limits) -> Judgement | Skipped:
        openings = [found for row in seen.recent if (found := _opening(row, limits))]
        common = Counter(openings).most_common(1)[0][0] if openings else ()

        def is_boilerplate(row: Row) -> bool:
            opening = _opening(row, limits)
            return bool(opening) and (opening == common or " ".join(opening).startswith(_PHRASES))

        return risen_shares(seen, is_boilerplate, {Severity.INFO: limits.info})


def _opening(row: Row, limits: Limits) -> tuple[str, ...]:
    found = words(row.sample.response)
    return found[: limits.words] if len(found) >= limits.least else ()
