"""Answers end in a loop: the same line or phrase until the limit.

What it checks
    The last quarter of an answer compresses to less than 0.15 of its size, or one line of three or more words occurs
    eight times. A share of 0.05 of the newest logged answers, and at least two rows, is a warning.

Why it matters
    A loop never ends by itself: it uses up the whole length limit in every step, and the answer before it is mostly
    lost.

When it is wrong
    Generated tables and poems with a refrain look the same. A tail below 200 characters is too short to be judged.

What to try
    Read what comes before the loop. Weaken any reward for length, sample at temperature 1, lower the learning rate.

References
    Engineering default · MiniMax-M1 (arXiv 2506.13585) cuts generation off in such loops.
"""

from dataclasses import replace

from diagnostics.model.outcome import Severity
from diagnostics.model.samples import Sample
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import Skipped, english
from diagnostics.rules.samples.sample_rule import Judgement, SampleRule
from diagnostics.rules.samples.shares import judge_share
from diagnostics.rules.samples.tables import Row, View
from diagnostics.rules.samples.text_measures import most_repeated_line, tail_compression


class Limits(RuleLimits):
    """What counts as a loop, and how many are too many."""

    compressed: float = limit(
        0.15, "of its size", "engineering default; English prose of this length compresses to about 0.6"
    )
    lines: int = limit(8, "times", "engineering default")
    warning: float = limit(0.05, "fraction", "engineering default")
    rows: int = limit(2, "samples", "one may be an accident of sampling")


class SmpLoopTail(SampleRule[Limits]):
    """Judges the last quarter of each answer."""

    code = "SM202"
    name = "smp-loop-tail"
    grade = "F"
    source = "engineering default; MiniMax-M1 (arXiv 2506.13585) stops generation on such loops"
    limits = Limits()
    remedies = (
        "checked-reward",
        "true-temperature",
        "lower-learning-rate",
    )
    texts = english(
        headline="Answers end in a loop.",
        fired="{count} of the {rows} newest samples end in a loop ({before} % at the start).",
        shown="Its end is the same text again and again.",
    )

    def marks(self, sample: Sample, limits: Limits) -> bool:
        text = sample.response
        return tail_compression(text) < limits.compressed or most_repeated_line(text) >= limits.lines

    def judge(self, seen: View, limits: Limits) -> Judgement | Skipped:
        def loops(row: Row) -> bool:
            return self.marks(row.sample, limits)

        levels = {Severity.WARNING: limits.warning}
        found = judge_share(seen, loops, levels, order=lambda row: len(row.sample.response), each_is_wrong=True)
        return found if len(found.samples) >= limits.rows else replace(found, severity=None)
