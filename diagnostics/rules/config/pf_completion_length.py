"""Answers that need room to reason get little: most will be cut off.

What it checks
    Whether 5 % or more of the untrained policy's answers are longer than the limit, where it was probed. Else,
    whether the limit is 256 tokens or less on data whose name speaks of reasoning; a run of these settings that cuts
    off less than 30 % of its answers settles it.

Why it matters
    An answer that is cut off mostly earns nothing, so the reward measures length instead of content. At 256 tokens,
    TRL's default before 1.10, 57 to 80 % of the answers to GSM8K were cut off.

When it is wrong
    A dataset's name is a weak clue. Training mostly makes answers longer, so a probe of the untrained policy
    understates the need. Answers that never end are not mended by room.

What to try
    Raise the limit to what the probe shows, or to 1024 tokens; look for a missing end token where answers are
    endless.

References
    TRL issues 5697, 6263: 57 to 80 % cut off at 256 tokens on GSM8K.
"""

import math

from diagnostics.model.outcome import Severity
from diagnostics.model.settings import Setting
from diagnostics.model.setup import Probe, Setup
from diagnostics.rules.config.config_rule import ConfigRule
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import Quiet, RuleResult, english

REASONING = (
    "gsm8k", "math", "aime", "numina", "olympiad", "deepscaler", "openr1", "open-r1", "open_r1", "reason", "countdown",
    "dapo", "skywork", "cot",
)  # fmt: skip
"""Parts of the names of data whose answers need room to reason."""


class Limits(RuleLimits):
    """Which length is too short, and what proves it long enough."""

    shortest: int = limit(256, "tokens", "TRL issues 5697, 6263")
    seen: float = limit(0.3, "of a run's answers", "truncation-high")
    fits: float = limit(0.95, "of the untrained policy's answers", "engineering default")


class PfCompletionLength(ConfigRule[Limits]):
    """Judges the length limit of answers."""

    code = "PF604"
    name = "pf-completion-length"
    grade = "I"
    source = "TRL issues 5697, 6263: 57 to 80 % cut off at 256 tokens on GSM8K"
    inputs = ("max_tokens",)
    limits = Limits()
    texts = english(
        fired="{parameter} is {value}{origin} on {dataset}: at {limit} tokens more than half of such answers are cut "
        "off.",
        probed="{parameter} is {value}{origin}: {cut} of {count} answers of the untrained policy are longer (95 % "
        "have up to {needed} tokens).",
        endless="{parameter} is {value}{origin}: {cut} of {count} answers of the untrained policy are longer, and "
        "{endless} do not end within {room} tokens: room alone will not end them.",
        unread="Neither the data's name nor a probe of the untrained policy tells how much room answers need.",
        unread_enable="Probe the policy: rlvitals preflight CONFIG --probe, or “Try the settings” on the Launch page.",
        why="Answers that fit are scored for what they say and can end by themselves.",
    )

    def check(self, setup: Setup, limits: Limits) -> RuleResult:
        setting = setup.require("max_tokens")
        if setup.probe is not None and setting.number is not None:
            return self._judge_probe(setting, setup.probe, limits)
        if setup.cut_off is not None and setup.cut_off < limits.seen:
            return Quiet(setup.cut_off, limits.seen, "fraction")
        named = setup.get("dataset")
        if named is None:
            return self.skipped("unread")
        data = str(named.value)
        needs_room = any(mark in data.lower() for mark in REASONING)
        if setting.number is None or setting.number > limits.shortest or not needs_room:
            return Quiet(setting.number, limits.shortest, "tokens")
        return self.fired(Severity.WARNING, setting, suggested=1024, limit=limits.shortest, unit="tokens", dataset=data)

    def _judge_probe(self, setting: Setting, probe: Probe, limits: Limits) -> RuleResult:
        """What the lengths of the untrained policy's answers say of the limit."""
        needed = sorted(probe.lengths)[math.ceil(limits.fits * len(probe.lengths)) - 1]
        if needed <= (allowed := setting.number or 0.0):
            return Quiet(allowed, float(needed), "tokens")
        endless = sum(length >= probe.room for length in probe.lengths)
        return self.fired(
            Severity.WARNING,
            setting,
            key="endless" if needed >= probe.room else "probed",
            suggested=None if needed >= probe.room else _rounded_up(needed),
            limit=float(needed),
            unit="tokens",
            needed=needed,
            cut=sum(length > allowed for length in probe.lengths),
            count=len(probe.lengths),
            endless=endless,
            room=probe.room,
        )


def _rounded_up(tokens: int) -> int:
    """The next number of two significant digits."""
    step = int(10 ** max(0, len(str(tokens)) - 2))
    return -(-tokens // step) * step
