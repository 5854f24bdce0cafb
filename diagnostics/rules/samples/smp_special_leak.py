"""Special tokens occur in the middle of answers: the template or the stop token is wrong.

What it checks
    The share of the newest logged answers with a special token (an end of text, padding, a turn of the chat template)
    that is followed by more text: 0.02 is a warning, where chance does not explain it (the lower end of its interval
    counts). Special tokens at the end of an answer are normal in some tables.

Why it matters
    Text after an end token is scored although the model had ended, or the model writes the user's next turn itself.
    Either way the reward judges text that nobody will see.

When it is wrong
    The task is about special tokens, or uses `</s>` as HTML.

What to try
    Set the stop token that the chat template ends a turn with. Print one prompt exactly as the model gets it.

References
    TRL PPO page (`stop_token`) · TRL pull request 7039 (models that end on another token than the tokenizer's).
"""

from diagnostics.model.outcome import Severity
from diagnostics.model.samples import Sample
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import Skipped, english
from diagnostics.rules.samples.sample_rule import Judgement, SampleRule
from diagnostics.rules.samples.shares import judge_share
from diagnostics.rules.samples.tables import View
from diagnostics.rules.samples.text_measures import SPECIAL, without_end


class Limits(RuleLimits):
    """Which share is too much."""

    warning: float = limit(0.02, "fraction", "engineering default")


class SmpSpecialLeak(SampleRule[Limits]):
    """Judges special tokens that are not at the end of an answer."""

    code = "SM104"
    name = "smp-special-leak"
    grade = "S"
    source = "TRL PPO page: the table of sampled responses shows special tokens"
    limits = Limits()
    remedies = (
        "stop-at-eos",
        "true-end-tokens",
    )
    texts = english(
        headline="Special tokens stand in the middle of answers.",
        fired="{count} of the {rows} newest samples go on behind a special token ({before} % at the start).",
        shown="A special token in the middle of it.",
    )

    def marks(self, sample: Sample, limits: Limits) -> bool:
        return _has_special_token(sample)

    def judge(self, seen: View, limits: Limits) -> Judgement | Skipped:
        return judge_share(seen, lambda row: _has_special_token(row.sample), {Severity.WARNING: limits.warning})


def _has_special_token(sample: Sample) -> bool:
    return SPECIAL.search(without_end(sample.response)) is not None
