"""Answers are no longer language.

What it checks
    A row is not language if more than 0.3 of its words cannot be words of any language (control characters, alphabets
    mixed within a word, alternating letters and digits), or if its characters are far too uniform (below 2.5 bits each
    in 40 or more characters) or, in Latin script, far too random (above 5.5). The share of such rows, beyond that in
    the first tables: 0.3 is a warning, and critical where the score is no lower than at the start.

Why it matters
    The documents' own sign of reward hacking: patterns that have nothing to do with natural language and still score
    high.

When it is wrong
    Code, formulas and identifiers look odd, and only a rise counts. A salad of real words is not language either, but
    is not detected here: see smp-repetition, the KL and the samples.

What to try
    If they score high, correct the reward, raise the KL coefficient, go back to a checkpoint. If they score low, lower
    the learning rate, look for an entropy that exploded.

References
    TRL training FAQ: what are examples of reward hacking (completely unrelated to natural language, yet a high
    reward).
"""

from dataclasses import replace

from diagnostics.model.outcome import Severity
from diagnostics.model.samples import Sample
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import Skipped, english
from diagnostics.rules.samples.row_measures import scores_of, with_scores
from diagnostics.rules.samples.sample_rule import Judgement, SampleRule
from diagnostics.rules.samples.shares import risen_shares
from diagnostics.rules.samples.tables import View
from diagnostics.rules.samples.text_measures import character_entropy, odd_words, scripts


class Limits(RuleLimits):
    """What does not count as language, and which rise is too much."""

    odd: float = limit(0.3, "of the words", "engineering default")
    least_bits: float = limit(2.5, "bits per character", "English has 4.1; a repeated word of five letters 2.3")
    most_bits: float = limit(5.5, "bits per character", "English has 4.1; random ASCII 6.5")
    least: int = limit(40, "characters", "shorter texts have a low entropy by their length")
    long: int = limit(200, "characters", "below it no text reaches the upper bound by chance or by meaning")
    latin: float = limit(0.9, "of the letters", "other scripts have more characters and a higher entropy")
    warning: float = limit(0.3, "of the samples, above the start", "engineering default")


class SmpNonlanguage(SampleRule[Limits]):
    """Judges characters and words without knowing a language."""

    code = "SM302"
    name = "smp-nonlanguage"
    grade = "S"
    source = "TRL training FAQ: what are examples of reward hacking"
    limits = Limits()
    remedies = (
        "checked-reward",
        "stronger-kl",
        "earlier-checkpoint",
    )
    texts = english(
        headline="Answers are no language any more.",
        fired="{count} of the {rows} newest samples are no language ({before} % at the start).",
        paid="{count} of the {rows} newest samples are no language ({before} % at the start), and score no less than "
        "the answers at the start.",
        shown="Its characters or words are those of no language.",
    )

    def marks(self, sample: Sample, limits: Limits) -> bool:
        return _is_no_language(sample.response, limits)

    def judge(self, seen: View, limits: Limits) -> Judgement | Skipped:
        found = risen_shares(seen, lambda row: self.marks(row.sample, limits), {Severity.WARNING: limits.warning})
        if isinstance(found, Skipped) or found.severity is None:
            return found
        before, now = scores_of(with_scores(seen.first)), scores_of(with_scores(tuple(found.samples)))
        is_paid = len(before) > 0 and len(now) > 0 and float(now.mean()) >= float(before.mean())
        return replace(found, severity=Severity.CRITICAL, key="paid") if is_paid else found


def _is_no_language(text: str, limits: Limits) -> bool:
    if odd_words(text) > limits.odd:
        return True
    bits = character_entropy(text)
    if len(text) >= limits.least and bits < limits.least_bits:
        return True
    letters = scripts(text)
    is_latin = letters.get("LATIN", 0) >= limits.latin * sum(letters.values())
    return is_latin and len(text) >= limits.long and bits > limits.most_bits
