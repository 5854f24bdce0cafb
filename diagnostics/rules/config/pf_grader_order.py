"""A reward function scores an answer by the other answers in its batch, or by its place among them.

What it checks
    Each function scores a batch, the same batch in the opposite order, and every answer alone. Scores that differ by
    more than 1 % of the spread of the function's scores count as different. Functions that are random anyway are left
    out.

Why it matters
    A score that depends on the order pays for chance. It is also the sign of rewards that are matched with the wrong
    completions, as after sorting, or after leaving out what could not be parsed.

When it is wrong
    A function that ranks the answers of a batch, or pays for being unlike the others, depends on them on purpose; then
    it is a note. A model that pads a batch may differ by more than rounding in low precision.

What to try
    Score each completion from its own prompt, text and columns, and return the scores in the order of the completions.

References
    An identity: TRL's reward functions return one reward per completion, in their order.
"""

from collections.abc import Sequence

from diagnostics.model.outcome import Severity
from diagnostics.model.setup import Setup, Trial
from diagnostics.rules.config.config_rule import ConfigRule
from diagnostics.rules.config.grader_trials import Sameness, by_function, differing, is_repeatable, quoted, score_text
from diagnostics.rules.rule import Fired, Quiet, RuleResult, english


class PfGraderOrder(ConfigRule[Sameness]):
    """Compares a batch with its reverse and with single answers."""

    code = "PF407"
    name = "pf-grader-order"
    grade = "C"
    source = "an identity: one reward per completion, whatever stands beside it"
    inputs = ()
    limits = Sameness()
    texts = english(
        reordered="{function} gave {first} for {answer}, and {second} when the batch was in the opposite order.",
        alone="{function} gave {first} for {answer} in a batch, and {second} for it alone.",
    )

    def applies(self, setup: Setup) -> bool:
        return bool(setup.trials)

    def check(self, setup: Setup, limits: Sameness) -> RuleResult:
        functions = {n: trials for n, trials in by_function(setup.trials or ()).items() if is_repeatable(trials)}
        for way, severity in (("reordered", Severity.WARNING), ("alone", Severity.INFO)):
            for function, trials in functions.items():
                if found := self._compared(setup, function, trials, way, severity, limits):
                    return found
        return Quiet(0.0, unit="answers")

    def _compared(
        self, setup: Setup, function: str, trials: Sequence[Trial], way: str, severity: Severity, limits: Sameness
    ) -> Fired | None:
        if (trial := differing(trials, way, limits.tolerance)) is None:
            return None
        words = {"first": score_text(trial.score), "second": score_text(trial.repeats[way]), "answer": quoted(trial)}
        message = self.message(way, function=function, **words)
        return Fired(severity, message, parameters=(setup.parameter("reward_funcs"),))
