"""Nothing teaches the policy to end its answers: the EOS trick is off.

What it checks
    For TRL's PPO: whether no stop token is set, or answers without an end token cost nothing. A note.

Why it matters
    Without a stop token everything after the first end token is scored as well. Without a penalty an answer that
    never ends costs nothing.

When it is wrong
    Policies that end their answers anyway need neither.

What to try
    Set `stop_token` to `eos` and `missing_eos_penalty` to 1.0.

References
    TRL PPO page: the EOS trick.
"""

from diagnostics.model.outcome import Severity
from diagnostics.model.setup import Setup
from diagnostics.rules.config.config_rule import ConfigRule
from diagnostics.rules.rule import NoLimits, Quiet, RuleResult, english


class PfEosTrick(ConfigRule[NoLimits]):
    """Judges `missing_eos_penalty` and the stop token."""

    code = "PF602"
    name = "pf-eos-trick"
    grade = "S"
    source = "TRL PPO page: the EOS trick"
    inputs = ("missing_eos_penalty",)
    algorithms = frozenset({"ppo"})
    limits = NoLimits()
    texts = english(
        fired="{parameter} is not set: an answer that never ends costs nothing.",
        stop="{parameter} is not set: what follows the first end token is scored as well.",
        why="A penalty on answers without an end token teaches the policy to end them.",
    )

    def check(self, setup: Setup, limits: NoLimits) -> RuleResult:
        penalty, stops = setup.require("missing_eos_penalty"), (setup.get("stop_token"), setup.get("stop_token_id"))
        known = [item for item in stops if item is not None]
        if known and all(item.value is None or item.value == "none" for item in known):
            return self.fired(Severity.INFO, known[0], key="stop", suggested="eos")
        if penalty.value is None and not setup.is_on("non_eos_penalty"):
            return self.fired(Severity.INFO, penalty, suggested=1.0)
        return Quiet(penalty.number)
