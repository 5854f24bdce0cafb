"""PyTorch's Adam with its default epsilon takes larger first steps than that of published PPO results.

What it checks
    Whether `adam_epsilon` is below 1e-5. A note.

Why it matters
    OpenAI's RLHF used TensorFlow's Adam with an epsilon of 1e-5. A smaller one gives larger first steps, because the
    second moment is still close to 0.

When it is wrong
    It matters for reproducing a published PPO result and for the first steps only. Most trainings do well with
    PyTorch's default.

What to try
    Set `adam_epsilon` to 1e-5, or warm the learning rate up.

References
    The N Implementation Details of RLHF with PPO.
"""

from diagnostics.model.algorithms import PPO_FAMILY
from diagnostics.model.outcome import Severity
from diagnostics.model.setup import Setup
from diagnostics.rules.config.config_rule import ConfigRule
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import Quiet, RuleResult, english


class Limits(RuleLimits):
    """Which epsilon published results used."""

    published: float = limit(1e-05, "epsilon", "The N Implementation Details of RLHF with PPO")


class PfAdamEps(ConfigRule[Limits]):
    """Judges `adam_epsilon`."""

    code = "PF104"
    name = "pf-adam-eps"
    grade = "P"
    source = "The N Implementation Details of RLHF with PPO"
    inputs = ("adam_epsilon",)
    algorithms = PPO_FAMILY
    limits = Limits()
    texts = english(
        fired="{parameter} is {value}{origin}; published PPO results used {limit}, with gentler first updates.",
        why="The published value, for a reproduction; a warm-up softens the first updates as well.",
    )

    def check(self, setup: Setup, limits: Limits) -> RuleResult:
        setting = setup.require("adam_epsilon")
        if setting.number is None or setting.number >= limits.published:
            return Quiet(setting.number, limits.published)
        return self.fired(Severity.INFO, setting, suggested=limits.published, limit=limits.published)
