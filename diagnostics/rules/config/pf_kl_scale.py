"""The KL penalty is out of proportion to the scores: it drowns them, or holds nothing.

What it checks
    Whether the penalty of an answer of full length, at 0.2 nats per token, is more than 3 times or less than a
    hundredth of what the scores differ by. A note.

Why it matters
    A penalty that is larger than the scores decides in their place, and one that is far smaller holds nothing. 0.2
    nats per token is what the documented bound of 10 nats comes to for answers of 50 tokens.

When it is wrong
    Scores are taken to differ by about 1, since they are not known before the training. Trainers that normalise the
    scores make that true; others do not.

What to try
    Choose a weight that makes the penalty about a tenth of what the scores differ by.

References
    Engineering default · TRL training FAQ: keep the KL between 0 and 10.
"""

from diagnostics.model.outcome import Severity
from diagnostics.model.setup import Setup
from diagnostics.rules.config.config_rule import ConfigRule
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import Quiet, RuleResult, english

USUAL = 0.1  # the penalty as a share of what scores differ by, where it holds without deciding


class Limits(RuleLimits):
    """Which penalty is in proportion, and what it is computed from."""

    most: float = limit(3.0, "times the deviation of the scores", "engineering default")
    least: float = limit(0.01, "times the deviation of the scores", "engineering default")
    kl: float = limit(0.2, "nats/token", "TRL training FAQ: 10 nats for answers of about 50 tokens")
    score_deviation: float = limit(1.0, "reward", "engineering default: not known before the training")


class PfKlScale(ConfigRule[Limits]):
    """Compares the KL penalty of a full answer with the scores."""

    code = "PF307"
    name = "pf-kl-scale"
    grade = "F"
    source = "engineering default; TRL training FAQ: keep the KL between 0 and 10"
    inputs = ("kl_weight", "max_tokens")
    algorithms = frozenset({"ppo", "ppo-legacy", "rloo"})
    limits = Limits()
    texts = english(
        fired="{parameter} {value} × {kl} nats × {tokens} tokens is a penalty of {penalty}: it drowns scores that "
        "differ by about {deviation}.",
        weak="{parameter} {value} × {kl} nats × {tokens} tokens is a penalty of {penalty}: next to scores that "
        "differ by about {deviation} it holds nothing.",
        why="A penalty of about a tenth of what the scores differ by holds without deciding.",
    )

    def check(self, setup: Setup, limits: Limits) -> RuleResult:
        setting, tokens = setup.require("kl_weight"), setup.number("max_tokens")
        if not setting.number or tokens is None:
            return Quiet(setting.number)
        penalty = setting.number * limits.kl * tokens / limits.score_deviation
        if limits.least <= penalty <= limits.most:
            return Quiet(penalty, limits.most)
        is_weak = penalty < limits.least
        return self.fired(
            Severity.INFO,
            setting,
            key="weak" if is_weak else "fired",
            suggested=float(f"{setting.number * USUAL / penalty:.1g}"),
            measured=penalty,
            limit=limits.least if is_weak else limits.most,
            kl=f"{limits.kl:g}",
            tokens=f"{tokens:g}",
            penalty=f"{penalty:.2g}",
            deviation=f"{limits.score_deviation:g}",
        )
