"""A reward function raises an exception on some answers, which ends a training when the policy writes one.

What it checks
    Whether a function raised on any of the answers that were tried, alone. On a right, wrong, empty or junk answer it
    is critical, because a policy writes such answers in the first step; on others it is a warning. A function that
    raises whatever the answer is not judged: the trial itself ends with its message.

Why it matters
    An exception in a reward function ends the training, often hours after it started.

When it is wrong
    A function may be meant to stop a training on some answer.

What to try
    Return None for what cannot be scored, or the lowest reward.

References
    TRL GRPOTrainer: an exception of a reward function is not caught · trainer/rewards/function.py.
"""

from diagnostics.model.outcome import Severity
from diagnostics.model.setup import Setup
from diagnostics.rules.config.config_rule import ConfigRule
from diagnostics.rules.config.grader_trials import quoted
from diagnostics.rules.rule import Fired, NoLimits, Quiet, RuleResult, english

ORDINARY = ("gold", "wrong", "empty", "junk")
"""Kinds of answers that a policy writes from the start."""


class PfGraderRaises(ConfigRule[NoLimits]):
    """Looks for exceptions."""

    code = "PF404"
    name = "pf-grader-raises"
    grade = "C"
    source = "TRL GRPOTrainer: an exception of a reward function is not caught"
    inputs = ()
    limits = NoLimits()
    texts = english(fired="On {count} of {tried} answers a reward function fails, first on {answer}: {error}.")

    def applies(self, setup: Setup) -> bool:
        return bool(setup.trials)

    def check(self, setup: Setup, limits: NoLimits) -> RuleResult:
        trials = setup.trials or ()
        failed = [trial for trial in trials if trial.error]
        if not failed:
            return Quiet(0.0, unit="answers")
        ordinary = [trial for trial in failed if trial.kind in ORDINARY]
        worst = (ordinary or failed)[0]
        message = self.message(
            "fired", count=len(failed), tried=len(trials), answer=quoted(worst), error=worst.error.rstrip(".")
        )
        severity = Severity.CRITICAL if ordinary else Severity.WARNING
        return Fired(severity, message, measured=float(len(failed)), unit="answers", parameters=_parameters(setup))


def _parameters(setup: Setup) -> tuple[str, ...]:
    return (setup.parameter("reward_funcs"),)
