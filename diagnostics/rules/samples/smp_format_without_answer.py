"""Answers keep the required form without any content.

What it checks
    The share of the newest logged answers with an empty answer tag, an empty box, or nothing after the closed thinking
    tag, beyond the share in the first tables: 0.1 is a warning.

Why it matters
    A format reward pays for the tags alone. Where accuracy is hard to reach, the tags are all that is learned.

When it is wrong
    Completions that were cut off before their answer are not counted; where the samples do not say whether an answer
    was cut off, a long thought without an answer looks the same.

What to try
    Reward form only together with a right answer (a gate), or lower the weight of the format reward.

References
    TRL reward functions: think_format_reward · LessWrong testbed: a format reward alone took the format from
    0.44 to 1.0 and the accuracy from 0.23 to 0.03.
"""

import re

from diagnostics.model.outcome import Severity
from diagnostics.model.samples import Sample
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import Skipped, english
from diagnostics.rules.samples.sample_rule import Judgement, SampleRule
from diagnostics.rules.samples.shares import risen_shares
from diagnostics.rules.samples.tables import View
from diagnostics.rules.samples.text_measures import without_end

_HOLLOW = re.compile(r"<answer>\s*</answer>|\\boxed\{\s*\}|</think(?:ing)?>\s*$", re.IGNORECASE)


class Limits(RuleLimits):
    """Which rise is too much."""

    warning: float = limit(0.1, "of the samples, above the start", "engineering default")


class SmpFormatWithoutAnswer(SampleRule[Limits]):
    """Judges what stands inside answer tags and boxes."""

    code = "SM103"
    name = "smp-format-without-answer"
    grade = "D"
    source = "TRL reward functions: the format reward pays for tags whatever stands in them"
    limits = Limits()
    remedies = (
        "gated-format",
        "reweighted-rewards",
    )
    texts = english(
        headline="Answers keep the form and leave it empty.",
        fired="{count} of the {rows} newest samples have the tags of an answer and nothing in them ({before} % at "
        "the start).",
        shown="The tags are there, the answer is not.",
    )

    def marks(self, sample: Sample, limits: Limits) -> bool:
        return _is_hollow(sample)

    def judge(self, seen: View, limits: Limits) -> Judgement | Skipped:
        return risen_shares(seen, lambda row: _is_hollow(row.sample), {Severity.WARNING: limits.warning})


def _is_hollow(sample: Sample) -> bool:
    return sample.terminated is not False and _HOLLOW.search(without_end(sample.response)) is not None
