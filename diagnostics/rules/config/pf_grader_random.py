"""Called twice with the same answers, a reward function gives different scores.

What it checks
    Each function scores the same batch twice. Scores that differ by more than 1 % of the spread of the function's
    scores count as different.

Why it matters
    What changes by chance is noise in the reward: groups differ where their answers do not, and nothing can be
    reproduced. A function that counts its calls or remembers answers pays for when an answer came, not for what it
    says.

When it is wrong
    A judge that samples its verdict is random on purpose.

What to try
    Seed what is drawn, ask a judge at temperature 0, and keep nothing between calls.

References
    An identity: the same input, the same reward.
"""

from diagnostics.model.outcome import Severity
from diagnostics.model.setup import Setup
from diagnostics.rules.config.config_rule import ConfigRule
from diagnostics.rules.config.grader_trials import Sameness, by_function, differing, quoted, score_text
from diagnostics.rules.rule import Fired, Quiet, RuleResult, english


class PfGraderRandom(ConfigRule[Sameness]):
    """Compares two calls with the same batch."""

    code = "PF406"
    name = "pf-grader-random"
    grade = "C"
    source = "an identity: the same input, the same reward"
    inputs = ()
    limits = Sameness()
    texts = english(fired="{function} gave {first} for {answer}, and {second} when it was asked again.")

    def applies(self, setup: Setup) -> bool:
        return bool(setup.trials)

    def check(self, setup: Setup, limits: Sameness) -> RuleResult:
        for function, trials in by_function(setup.trials or ()).items():
            if (trial := differing(trials, "again", limits.tolerance)) is not None:
                words = {
                    "first": score_text(trial.score),
                    "second": score_text(trial.repeats["again"]),
                    "answer": quoted(trial),
                }
                message = self.message("fired", function=function, **words)
                return Fired(Severity.WARNING, message, parameters=(setup.parameter("reward_funcs"),))
        return Quiet(0.0, unit="answers")
