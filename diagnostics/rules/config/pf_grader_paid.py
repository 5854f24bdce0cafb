"""A reward function pays for answers that are not right, which a policy will find sooner or later.

What it checks
    Answers that are written without solving the task: empty, the prompt again, every option at once, only the format,
    one word for pages, words that graders look for, other languages, template and code injection, and numbers such as
    NaN. One is paid where its score is at least half of the way from that of an honest wrong answer to that of the
    right one, both taken from the same function and prompt, in the form that the function pays best. The right answer
    inside junk or in look-alike characters is tried as well; since only those can write it who know the answer, it is
    a note.

Why it matters
    What is paid without solving the task is what training converges to: reward rises and nothing is learnt.

When it is wrong
    Only functions are judged whose scores depend on nothing but the answer, and that pay the right one more than honest
    wrong ones on every prompt. Those for form,
    length or tone do not, and data without a column such as `answer` have no right answers. A short right answer may
    occur in such a text by chance.

What to try
    Parse one final answer and compare it whole, refuse several answers and numbers that are not finite, never evaluate
    what the policy wrote.

References
    TRL training FAQ: look at extreme cases of the reward · rlhf-book, over-optimisation.
"""

import math
from collections.abc import Iterable, Sequence

from diagnostics.model.messages import Message, Value
from diagnostics.model.outcome import Severity
from diagnostics.model.setup import Setup, Trial
from diagnostics.rules.config.config_rule import ConfigRule
from diagnostics.rules.config.grader_trials import (
    Paid,
    by_function,
    depends_on_the_answer_alone,
    paid_answers,
    paid_line,
    scales,
)
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.lists import at_most, joined
from diagnostics.rules.rule import Fired, Quiet, RuleResult, english

MOST = 4  # answers of a function that a message names


class Limits(RuleLimits):
    """How much of a right answer's reward is too much."""

    share: float = limit(0.5, "of the way from a wrong answer's score to the right one's", "engineering default")


class PfGraderPaid(ConfigRule[Limits]):
    """Attacks the reward functions."""

    code = "PF403"
    name = "pf-grader-paid"
    grade = "F"
    source = "TRL training FAQ: look at extreme cases of the reward; the share is an engineering default"
    inputs = ()
    limits = Limits()
    texts = english(
        fired="Answers that are not right are paid: {paid}.",
        both="Answers that are not right are paid: {paid}. So is the right one in disguise: {lenient}.",
        lenient="The right answer is paid in disguise too: {lenient}.",
        unjudged="The data have no right answers, or no function pays them more than wrong ones on every prompt, so "
        "what is paid without reason cannot be told ({functions}).",
        unjudged_enable="Give the dataset a column `answer` or `solution`.",
    )

    def applies(self, setup: Setup) -> bool:
        return bool(setup.trials)

    def check(self, setup: Setup, limits: Limits) -> RuleResult:
        functions = by_function(setup.trials or ())
        judged = {
            n: trials for n, trials in functions.items() if scales(trials) and depends_on_the_answer_alone(trials)
        }
        if not judged:
            return self.skipped("unjudged", functions=joined(tuple(functions)))
        found = {name: paid_answers(trials, limits.share) for name, trials in judged.items()}
        if not any(found.values()):
            return Quiet(_highest(judged.values()), limits.share, "of the way to the right answer's score")
        return self._paid(setup, found, limits)

    def _paid(self, setup: Setup, found: dict[str, list[Paid]], limits: Limits) -> Fired:
        paid, lenient = (_lines(found, knows_answer=knows_answer) for knows_answer in (False, True))
        key = ("both" if lenient else "fired") if paid else "lenient"
        return Fired(
            Severity.WARNING if paid else Severity.INFO,
            self.message(key, paid=paid, lenient=lenient),
            measured=max(item.share for items in found.values() for item in items),
            limit=limits.share,
            unit="of the way to the right answer's score",
            parameters=(setup.parameter("reward_funcs"),),
        )


def _lines(found: dict[str, list[Paid]], *, knows_answer: bool) -> Message | Value:
    """What each function paid: `accuracy gives 1 for nan-numbers “nan” (right 1, wrong 0)`."""
    lines = []
    for name, items in found.items():
        chosen = [paid_line(item) for item in items if item.trial.knows_answer is knows_answer]
        if chosen:
            lines.append(Message("grader.gives", {"function": name, "answers": at_most(MOST, chosen)}))
    return joined(lines, "clause")


def _highest(functions: Iterable[Sequence[Trial]]) -> float:
    """How far any worthless answer got."""
    return max((item.share for trials in functions for item in paid_answers(trials, -math.inf)), default=0.0)
