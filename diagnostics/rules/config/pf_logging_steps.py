"""Too little is logged: steps are averaged over each other, or no samples are kept.

What it checks
    Whether several steps share one logged point, or no completions are logged.

Why it matters
    Averages hide spikes, and TRL drops NaN before it averages. Without completions no sample can be checked.

When it is wrong
    Long trainings of small, fast steps may well log every tenth.

What to try
    Set `logging_steps` to 1 and log completions.

References
    TRL, grpo_trainer.py: metrics are averaged over logging_steps.
"""

from diagnostics.model.outcome import Severity
from diagnostics.model.quirks import Quirk
from diagnostics.model.setup import Setup
from diagnostics.rules.config.config_rule import ConfigRule
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import Quiet, RuleResult, english


class Limits(RuleLimits):
    """How many steps may share a point."""

    steps: int = limit(1, "steps", "every step on its own")


class PfLoggingSteps(ConfigRule[Limits]):
    """Judges `logging_steps` and what is kept of completions."""

    code = "PF902"
    name = "pf-logging-steps"
    grade = "C"
    source = "TRL, grpo_trainer.py: metrics are averaged over logging_steps"
    inputs = ()
    quirk = Quirk.STATES_WHAT_IT_LOGS
    algorithms = frozenset({"ppo", "grpo", "rloo"})
    limits = Limits()
    texts = english(
        fired="{parameter} is {value}{origin}: spikes are averaged away and NaN is dropped.",
        samples="{parameter} is {value}{origin}: no completions are kept, so none can be checked.",
        unread="How often metrics are logged is not given.",
        unread_enable="Give logging_steps.",
        why="Everything that is logged can be looked at later.",
    )

    def check(self, setup: Setup, limits: Limits) -> RuleResult:
        steps = setup.get("logging_steps")
        if Quirk.AVERAGES_LOGGED_STEPS in setup.quirks and steps is None:
            return self.skipped("unread")
        if steps is not None and (steps.number or 0) > limits.steps:
            return self.fired(Severity.WARNING, steps, suggested=1, limit=limits.steps, unit="steps")
        kept = setup.get("log_completions") or setup.get("num_completions_to_log")
        if kept is not None and not kept.is_on:
            suggested = 64 if kept.parameter == "num_completions_to_log" else True
            return self.fired(Severity.WARNING, kept, key="samples", suggested=suggested)
        return Quiet(steps.number if steps else 1.0, limits.steps, "steps")
