"""Only the k likeliest tokens are sampled, but log-probabilities are those of the whole vocabulary.

What it checks
    Whether `top_k` is set to anything but 0 or −1. What counts is the value that reaches `generate`: where the
    trainer sets none, the model's generation_config.json does; TRL's GRPO had a default of 50 in versions 0.16 and
    0.17.

Why it matters
    Answers then come from another distribution than the one that is scored: the KL estimate can become negative,
    which is rewarded, and importance ratios are biased.

When it is wrong
    Trainers that score with the same cut, as vLLM's processed log-probabilities do, have no mismatch. A large top_k
    cuts little.

What to try
    Set `top_k` to 0 (in verl −1), explicitly, so that the model's generation_config.json cannot change it.

References
    TRL training FAQ: how to generate text for training · TRL issue 6789.
"""

from diagnostics.model.outcome import Severity
from diagnostics.model.setup import Setup
from diagnostics.rules.config.config_rule import ConfigRule
from diagnostics.rules.rule import NoLimits, Quiet, RuleResult, english

WHOLE_VOCABULARY = (-1.0, 0.0)


class PfTopK(ConfigRule[NoLimits]):
    """Judges `top_k`."""

    code = "PF301"
    name = "pf-top-k"
    grade = "S"
    source = "TRL training FAQ: how to generate text for training; TRL issue 6789"
    inputs = ("top_k",)
    limits = NoLimits()
    texts = english(
        fired="{parameter} is {value}{origin}: answers are sampled from a cut distribution and scored by the whole "
        "one, which can make the KL negative.",
        why="Sampling from the whole vocabulary is what the log-probabilities are of.",
    )

    def check(self, setup: Setup, limits: NoLimits) -> RuleResult:
        setting = setup.require("top_k")
        if setting.number is None or setting.number in WHOLE_VOCABULARY:
            return Quiet(setting.number)
        neutral = setup.settings.neutral.get("top_k", 0)
        return self.fired(Severity.WARNING, setting, suggested=neutral)
