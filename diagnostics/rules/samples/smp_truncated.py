"""Sampled answers stop in the middle: they were cut off at the length limit.

What it checks
    The share of the newest logged answers that did not end by themselves, by its lower Wilson bound (three standard
    errors wide): 0.1 is info, 0.5 is a warning.

Why it matters
    A cut-off answer is scored without its end. Where the trainer logs no share of cut-off completions, as with PPO,
    this shows only in the samples.

When it is wrong
    Many trainers log chosen rows, the best and the worst of a step, and the worst are often cut off: the share
    among all answers may be smaller. Where `completions/clipped_ratio` is logged, truncation-high measures it
    over all of them.

What to try
    Raise the length limit. Read the cut-off rows: an answer that repeats itself up to the limit is a different problem
    from a long one.

References
    verl documentation: response_length/clip_ratio · TRL logging page: completions/clipped_ratio.
"""

from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import Skipped, english
from diagnostics.rules.samples.sample_rule import Judgement, SampleRule, skipped_without
from diagnostics.rules.samples.shares import judge_share
from diagnostics.rules.samples.tables import Row, View
from diagnostics.rules.samples.text_measures import repetition


class Limits(RuleLimits):
    """Which share of cut-off answers is too much."""

    info: float = limit(0.1, "fraction", "verl documentation: above 0.1 often means that too much is cut off")
    warning: float = limit(0.5, "fraction", "engineering default; logged rows are often the extreme ones")


class SmpTruncated(SampleRule[Limits]):
    """Judges `terminated` of the samples."""

    code = "SM101"
    name = "smp-truncated"
    grade = "D"
    source = "verl documentation: above 0.1 often means that too much is cut off"
    limits = Limits()
    remedies = (
        "longer-completions",
        "eos-trick",
    )
    texts = english(
        headline="Answers stop in the middle: they were cut off at the length limit.",
        fired="{count} of the {rows} newest samples were cut off ({before} % at the start).",
        shown="Cut off at the length limit.",
    )

    def applies(self, run: Run) -> bool:
        """Only where the share among all answers, which is exact, is not logged."""
        return super().applies(run) and run.get("truncated_fraction") is None

    def judge(self, seen: View, limits: Limits) -> Judgement | Skipped:
        if all(row.sample.terminated is None for row in seen.recent):
            return skipped_without("whether an answer ended by itself")
        levels = {Severity.INFO: limits.info, Severity.WARNING: limits.warning}
        return judge_share(seen, _is_cut, levels, order=lambda row: repetition(row.sample.response))


def _is_cut(row: Row) -> bool:
    return row.sample.terminated is False
