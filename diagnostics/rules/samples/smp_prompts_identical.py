"""All prompts are the same text: what the answers should depend on does not reach the model.

What it checks
    The prompts of all samples in the ten newest tables, at least five of them: a single text is a warning, also where
    it is nothing but the special tokens of a template. Prompts that the trainer samples at regular steps on purpose are
    left out, and such tokens are not judged where one of them is the place of an image, a video or a sound.

Why it matters
    A template that lost its placeholder, a column of the wrong name or a tokenizer that cuts from the wrong side leaves
    the question out. Grading goes on against the true answers, so right and wrong are decided by chance, and the policy
    learns what is right most often.

When it is wrong
    A trial on a single prompt.

What to try
    Print one prompt as the model gets it, after the template and the tokenizer. Compare the data's column names with
    those that the trainer reads.

References
    By definition: an answer can only depend on what the prompt says.
"""

import re

from diagnostics.model.messages import Value, shortened
from diagnostics.model.outcome import Severity
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import Skipped, english
from diagnostics.rules.samples.sample_rule import Judgement, SampleRule, skipped_without, too_few_samples
from diagnostics.rules.samples.tables import View
from diagnostics.rules.samples.text_measures import normalised
from diagnostics.rules.telling_samples import QUOTED

_MEDIUM = re.compile(r"<\|?(?:image|video|audio|vision)[^<>]*>")


class Limits(RuleLimits):
    """From how many tables on a single prompt is no coincidence."""

    tables: int = limit(5, "tables", "engineering default")
    prompts: float = limit(1.0, "prompts", "two show that the data reach the model")


class SmpPromptsIdentical(SampleRule[Limits]):
    """Counts the different prompts."""

    code = "SM408"
    name = "smp-prompts-identical"
    grade = "C"
    source = "an answer can only depend on what the prompt says"
    limits = Limits()
    remedies = ("checked-prompts",)
    pooled = 10  # tables: one may hold the answers to a single prompt
    texts = english(
        headline="All prompts are the same text.",
        fired="The {rows} newest samples, of {tables} steps, all answer the same prompt: “{prompt}”.",
        shown="An answer to the one prompt.",
    )

    def judge(self, seen: View, limits: Limits) -> Judgement | Skipped:
        rows = tuple(row for row in seen.recent if not row.sample.followed)
        tables = len({row.step for row in rows})
        if tables < limits.tables:
            return too_few_samples("tables of samples", limits.tables, tables)
        prompts = {normalised(row.sample.query) for row in rows}
        if prompts == {""} and not all(_says_something(row.sample.query) for row in rows):
            return skipped_without("its prompt")
        severity = Severity.WARNING if len(prompts) <= limits.prompts else None
        values: dict[str, Value] = {
            "rows": len(rows),
            "tables": tables,
            "prompt": shortened(rows[0].sample.query, QUOTED),
        }
        return Judgement(float(len(prompts)), limits.prompts, severity, "prompts", values=values, samples=rows)


def _says_something(query: str) -> bool:
    """Whether a prompt is logged and is a text, be it of special tokens, and holds no place that a medium fills."""
    return bool(query.strip()) and not _MEDIUM.search(query)
