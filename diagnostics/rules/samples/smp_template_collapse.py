"""Different prompts get the same answer: the model no longer listens.

What it checks
    One answer for each prompt of the newest tables, all pairs of them: their likeness (Jaccard index of the
    3-grams) is 0.5 or more and has risen by 0.3 above that in the first tables.

Why it matters
    An answer that fits every prompt earns the mean reward and nothing more. Entropy may stay high all the
    while, because the words vary and what they answer does not.

When it is wrong
    Tasks with a fixed frame around a short answer. Only answers of eight words and marks and more are compared.

What to try
    Read answers to very different prompts side by side. Sample at temperature 1, raise the KL coefficient, go
    back to a checkpoint.

References
    RAGEN-2 (arXiv 2604.06268): collapse to templates, invisible to entropy.
"""

from dataclasses import dataclass

from diagnostics.diagnosis import Severity
from diagnostics.rules.rule import Skipped, english, limit
from diagnostics.rules.samples.relations import likeness, pairs_of
from diagnostics.rules.samples.sample_rule import Judgement, SampleRule, nothing_to_compare, too_few_samples
from diagnostics.rules.samples.tables import Row, Rows, View
from diagnostics.rules.samples.texts import units


@dataclass(frozen=True, slots=True)
class Limits:
    """How alike answers to different prompts may be."""

    warning: float = limit(
        0.5, "Jaccard index of 3-grams", "engineering default; unrelated answers share a few hundredths"
    )
    rise: float = limit(0.3, "above the start", "engineering default")
    least: int = limit(8, "words and marks", "shorter answers share 3-grams by chance")
    prompts: int = limit(8, "prompts", "28 pairs")


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
        shown="One of the answers to different prompts.",
    )

    def judge(self, seen: View, limits: Limits) -> Judgement | Skipped:
        if not seen.can_compare:
            return nothing_to_compare()
        now, before = _of_each_prompt(seen.recent, limits.least), _of_each_prompt(seen.first, limits.least)
        if min(len(now), len(before)) < limits.prompts:
            return too_few_samples("prompts with longer answers", limits.prompts, min(len(now), len(before)))
        alike, start = (likeness(pairs_of([row.sample.response for row in rows])) for rows in (now, before))
        is_sick = alike >= limits.warning and alike - start >= limits.rise
        severity = Severity.WARNING if is_sick else None
        return Judgement(alike, limits.warning, severity, "Jaccard index", values={"before": 100 * start}, exhibits=now)


def _of_each_prompt(rows: Rows, least: int) -> list[Row]:
    found: dict[str, Row] = {}
    for row in rows:
        if len(units(row.sample.response)) >= least:
            found.setdefault(row.sample.query, row)
    return list(found.values())
