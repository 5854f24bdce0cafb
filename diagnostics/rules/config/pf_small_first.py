"""A large model for a first run: what goes wrong there goes wrong sooner and cheaper on a small one.

What it checks
    Whether the model has more than 3 billion parameters. A note.

Why it matters
    What goes wrong with data, rewards and settings goes wrong on a small model too, sooner and at less cost.

When it is wrong
    Rewards that only a large model can earn show nothing on a small one. A setup that was seen to learn needs no
    further proof.

What to try
    See a small model learn with the same data and rewards first.

References
    TRL training FAQ: start small.
"""

from diagnostics.model.outcome import Severity
from diagnostics.model.setup import Setup
from diagnostics.rules.config.config_rule import ConfigRule
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import Fired, Quiet, RuleResult, english


class Limits(RuleLimits):
    """Which model is large."""

    largest: float = limit(3e9, "parameters", "engineering default; TRL training FAQ: start small")


class PfSmallFirst(ConfigRule[Limits]):
    """Judges the model's size."""

    code = "PF905"
    name = "pf-small-first"
    grade = "S"
    source = "TRL training FAQ: start small"
    inputs = ()
    limits = Limits()
    texts = english(
        fired="The model has {billions} billion parameters: see a small one learn first with these data and rewards.",
        unread="The model's size is not known: its config.json was not found.",
        unread_enable="Name the model's folder.",
    )

    def check(self, setup: Setup, limits: Limits) -> RuleResult:
        parameters = setup.model.parameters
        if parameters is None:
            return self.skipped("unread")
        if parameters <= limits.largest:
            return Quiet(parameters, limits.largest, "parameters")
        billions = f"{parameters / 1e9:.3g}"
        return Fired(
            Severity.INFO,
            self.message("fired", billions=billions),
            measured=parameters,
            limit=limits.largest,
            unit="parameters",
            parameters=(setup.parameter("model"),),
        )
