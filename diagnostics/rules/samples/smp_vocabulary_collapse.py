"""The answers use only a fraction of the words they used at the start.

What it checks
    The distinct words among the newest logged answers, counted in as many words as the first tables hold (without
    numbers): half of the number at the start, or fewer, is a warning.

Why it matters
    A policy that has found a few rewarded words says them in any order. Each answer may look varied; all of them
    together do not.

When it is wrong
    A task whose answers converge to one form uses fewer words too. Healthy runs of the remarks demo kept three
    quarters of theirs.

What to try
    Read the top-scored rows to see which words are rewarded. Correct the reward, raise the KL coefficient, go back to a
    checkpoint.

References
    Engineering default · RAGEN (arXiv 2504.20073).
"""

from diagnostics.model.outcome import Severity
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import Skipped, english
from diagnostics.rules.samples.row_measures import with_scores
from diagnostics.rules.samples.sample_rule import Judgement, SampleRule, nothing_to_compare, too_few_samples
from diagnostics.rules.samples.tables import Rows, View
from diagnostics.rules.samples.text_measures import words


class Limits(RuleLimits):
    """Which vocabulary is too small."""

    warning: float = limit(
        0.5, "of the distinct words at the start", "engineering default; healthy runs of a demo kept 0.75 and more"
    )
    words: int = limit(100, "words", "of fewer words nearly all are distinct")


class SmpVocabularyCollapse(SampleRule[Limits]):
    """Judges how many different words the answers use together."""

    code = "SM207"
    name = "smp-vocabulary-collapse"
    grade = "F"
    source = "engineering default; RAGEN (arXiv 2504.20073): collapse of diversity"
    limits = Limits()
    remedies = (
        "checked-reward",
        "stronger-kl",
        "earlier-checkpoint",
    )
    texts = english(
        headline="The answers use a fraction of the words that they used at the start.",
        fired="{words} words of the newest samples hold {now} different ones; as many at the start held {before}.",
        shown="Among the highest scores of its step.",
    )

    def judge(self, seen: View, limits: Limits) -> Judgement | Skipped:
        if not seen.can_compare:
            return nothing_to_compare()
        now, before = _all_words(seen.recent), _all_words(seen.first)
        count = min(len(now), len(before))
        if count < limits.words:
            return too_few_samples("words, at the start and now", limits.words, count)
        kept = len(set(now[:count])) / len(set(before[:count]))
        severity = Severity.WARNING if kept <= limits.warning else None
        by_score = sorted(with_scores(seen.recent), key=lambda row: -(row.sample.score or 0.0))
        values = {"now": len(set(now[:count])), "before": len(set(before[:count])), "words": count}
        return Judgement(kept, limits.warning, severity, "of the start's", values=values, samples=by_score)


def _all_words(rows: Rows) -> list[str]:
    return [word for row in rows for word in words(row.sample.response) if not word.isdigit()]
