"""TRL's PPO trainer never looks whether a callback wants it to stop.

What it checks
    Whether the training runs in TRL's PPO trainer. A note.

Why it matters
    That trainer never reads `control.should_training_stop`, so a callback that sees trouble can log it and cannot
    stop the run.

When it is wrong
    A later version may read it.

What to try
    To end the run, end its process.

References
    TRL, ppo_trainer.py: control.should_training_stop is never read (FlowMesh issue 37).
"""

from diagnostics.model.outcome import Severity
from diagnostics.model.quirks import Quirk
from diagnostics.model.setup import Setup
from diagnostics.rules.config.config_rule import ConfigRule
from diagnostics.rules.rule import Fired, NoLimits, RuleResult, english


class PfStopUnsupported(ConfigRule[NoLimits]):
    """Applies to TRL's PPO trainer."""

    code = "PF904"
    name = "pf-stop-unsupported"
    grade = "C"
    source = "TRL, ppo_trainer.py: control.should_training_stop is never read (FlowMesh issue 37)"
    inputs = ()
    quirk = Quirk.IGNORES_STOP_REQUESTS
    algorithms = frozenset({"ppo"})
    limits = NoLimits()
    texts = english(
        fired="TRL's PPO trainer does not stop when a callback asks it to; to end the run, end its process.",
    )

    def check(self, setup: Setup, limits: NoLimits) -> RuleResult:
        return Fired(Severity.INFO, self.message("fired"))
