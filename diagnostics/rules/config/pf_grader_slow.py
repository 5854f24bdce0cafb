"""A reward function takes long for an answer, and every step of the training waits for it.

What it checks
    The seconds for one answer alone: a function that was cut off, one that took 10 seconds for any answer, and one
    whose mean times the completions of a step is a minute or more.

Why it matters
    The policy's update waits for the last score. A parser that never returns on some text stops the training without
    a word.

When it is wrong
    Answers were timed one at a time. A function that scores a batch at once, or asks a server for many scores at the
    same time, takes less for a step than its mean times the completions. The answers were made up: those of the
    policy may take longer or shorter.

What to try
    Give each answer a time limit inside the function, such as a process that is killed; bound the length of what is
    parsed; score answers at the same time (an async function).

References
    verl issue 6673 and Math-Verify issue 65: a single answer that a grader never finished.
"""

from collections.abc import Sequence

from diagnostics.model.messages import Message
from diagnostics.model.outcome import Severity
from diagnostics.model.setup import Setup, Trial
from diagnostics.rules.config.config_rule import ConfigRule
from diagnostics.rules.config.generation_batch import generated_at_once
from diagnostics.rules.config.grader_trials import by_function, mean_seconds, quoted, slowest
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import Fired, Quiet, RuleResult, english


class Limits(RuleLimits):
    """How long scoring may take."""

    answer: float = limit(10.0, "seconds for one answer", "engineering default")
    step: float = limit(60.0, "seconds for a step's completions, one after another", "engineering default")


class PfGraderSlow(ConfigRule[Limits]):
    """Times the reward functions."""

    code = "PF405"
    name = "pf-grader-slow"
    grade = "F"
    source = "verl issue 6673, Math-Verify issue 65; the seconds are engineering defaults"
    inputs = ()
    limits = Limits()
    texts = english(
        hung="{function} gave no score for {answer} within {seconds} s and was cut off: a training would wait.",
        answer="{function} took {seconds} s for {answer}.",
        step="{function} takes {mean} s for an answer on average: {seconds} s for the {completions} completions of a "
        "step, one after another. The slowest was {answer}.",
    )

    def applies(self, setup: Setup) -> bool:
        return bool(setup.trials)

    def check(self, setup: Setup, limits: Limits) -> RuleResult:
        functions = by_function(setup.trials or ())
        found = [self._judged(setup, name, trials, limits) for name, trials in functions.items()]
        fired = [item for item in found if isinstance(item, Fired)]
        return max(fired, key=_seconds) if fired else max(found, key=_seconds)

    def _judged(self, setup: Setup, name: str, trials: Sequence[Trial], limits: Limits) -> Fired | Quiet:
        longest, mean = slowest(trials), mean_seconds(trials)
        if longest is None or longest.seconds is None:
            return Quiet(limit=limits.answer, unit="s")
        answer = quoted(longest)
        if longest.is_hung or longest.seconds >= limits.answer:
            key = "hung" if longest.is_hung else "answer"
            message = self.message(key, function=name, answer=answer, seconds=longest.seconds)
            return _slow(setup, message, longest.seconds, limits.answer)
        completions, _ = generated_at_once(setup)
        if completions and mean and (step := mean * completions) >= limits.step:
            count = f"{completions:g}"
            message = self.message("step", function=name, answer=answer, mean=mean, seconds=step, completions=count)
            return _slow(setup, message, step, limits.step)
        return Quiet(longest.seconds, limits.answer, "s")


def _slow(setup: Setup, message: Message, seconds: float, most: float) -> Fired:
    parameters = (setup.parameter("reward_funcs"),)
    return Fired(Severity.WARNING, message, measured=seconds, limit=most, unit="s", parameters=parameters)


def _seconds(found: Fired | Quiet) -> float:
    return found.measured or 0.0
