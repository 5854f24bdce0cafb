"""Tried on answers that are surely right, empty, junk or extreme, the rewards do not tell them apart.

What it checks
    The scores of answers that are surely right, empty, junk or extreme: they must be finite, must not all be the
    same, and right answers must rank above junk on average. Ranking is judged by the weighted sum. Right answers are
    known where the data have a column such as `answer`; of several forms the best counts, since a reward may ask for
    one. The functions run in a process of the trainer.

Why it matters
    With rewards that do not tell answers apart the training learns nothing, or the wrong thing.

When it is wrong
    A function may ask for words or a form that these answers lack: one that gives every answer the same is only a
    warning where there are other functions, or no right answers to try.

What to try
    Try the rewards (`--smoke`), and read what each function gave.

References
    TRL training FAQ: look at extreme cases of the reward.
"""

import math
from collections.abc import Mapping, Sequence
from statistics import fmean

from diagnostics.model.messages import Message, Value
from diagnostics.model.outcome import Severity
from diagnostics.model.setup import Setup, Trial
from diagnostics.rules.config.config_rule import ConfigRule
from diagnostics.rules.config.reward_trials import score_of, weighted_sums
from diagnostics.rules.rule import Fired, NoLimits, Quiet, RuleResult, english

TEXTS: Mapping[str, str] = {
    "tried.gold": "a right",
    "tried.wrong": "a wrong",
    "tried.empty": "the empty",
    "tried.junk": "a junk",
    "tried.extreme": "an extreme",
    "tried.attack": "a worthless",
}
SHARED = ("gold", "empty", "junk", "extreme")
"""Kinds of answers that all functions were tried on alike."""
QUOTED = 40  # characters of an answer that a message repeats


class PfRewardSmoke(ConfigRule[NoLimits]):
    """Judges what the rewards gave to answers that were tried."""

    code = "PF402"
    name = "pf-reward-smoke"
    grade = "S"
    source = "TRL training FAQ: look at extreme cases of the reward"
    inputs = ()
    limits = NoLimits()
    texts = english(
        nonfinite="{function} gave {score} to {kind} answer “{answer}”: rewards must be finite.",
        equal="The rewards gave {score} to every answer: right, empty, junk and extreme ones alike.",
        equal_function="{function} gave {score} to every answer that was tried; it may ask for words or a form that "
        "these lack.",
        rank="The rewards gave junk {junk} on average and the best form of right answers {gold}: right ones must "
        "rank above.",
        untried="The reward functions were not tried.",
        untried_enable="Try them: rlvitals preflight CONFIG --smoke, or “Try the settings” on the Launch page.",
        unscored="No reward function could score any of the answers that were tried.",
        unscored_enable="Give the dataset the columns that the reward functions read.",
    )

    def applies(self, setup: Setup) -> bool:
        return setup.is_ours or setup.trials is not None

    def check(self, setup: Setup, limits: NoLimits) -> RuleResult:
        if setup.trials is None:
            return self.skipped("untried")
        scored = [trial for trial in setup.trials if trial.score is not None]
        if not scored:
            return self.skipped("unscored")
        problems = (self._nonfinite, self._equal, self._rank, self._equal_function)
        found = (judged(setup, scored) for judged in problems)
        return next((item for item in found if item is not None), None) or Quiet(len(scored), unit="answers tried")

    def _nonfinite(self, setup: Setup, trials: Sequence[Trial]) -> Fired | None:
        odd = next((trial for trial in trials if not math.isfinite(score_of(trial))), None)
        if odd is None:
            return None
        kind = Message(name) if (name := f"tried.{odd.kind}") in TEXTS else odd.kind
        values = {"score": str(odd.score), "answer": odd.answer[:QUOTED]}
        return self._problem(setup, Severity.CRITICAL, "nonfinite", function=odd.function, kind=kind, **values)

    def _equal(self, setup: Setup, trials: Sequence[Trial]) -> Fired | None:
        totals = weighted_sums(setup, [trial for trial in trials if trial.kind in SHARED])
        if len(totals) < 2 or len({total.score for total in totals}) > 1:
            return None
        knows_right = any(total.kind == "gold" for total in totals)
        if knows_right:
            return self._problem(setup, Severity.CRITICAL, "equal", score=score_of(totals[0]))
        first = trials[0]
        return self._problem(setup, Severity.WARNING, "equal_function", function=first.function, score=score_of(first))

    def _rank(self, setup: Setup, trials: Sequence[Trial]) -> Fired | None:
        totals = weighted_sums(setup, [trial for trial in trials if trial.kind in SHARED])
        best: dict[str, float] = {}
        for total in totals:
            if total.kind == "gold":
                best[total.prompt] = max(best.get(total.prompt, -math.inf), score_of(total))
        junk = [score_of(total) for total in totals if total.kind == "junk"]
        if not best or not junk or fmean(best.values()) > fmean(junk):
            return None
        return self._problem(setup, Severity.CRITICAL, "rank", gold=fmean(best.values()), junk=fmean(junk))

    def _equal_function(self, setup: Setup, trials: Sequence[Trial]) -> Fired | None:
        for function in dict.fromkeys(trial.function for trial in trials):
            scores = [score_of(trial) for trial in trials if trial.function == function]
            if len(scores) > 1 and len(set(scores)) == 1:
                return self._problem(setup, Severity.WARNING, "equal_function", function=function, score=scores[0])
        return None

    def _problem(self, setup: Setup, severity: Severity, key: str, **values: Value | Message) -> Fired:
        return Fired(severity, self.message(key, **values), parameters=(setup.parameter("reward_funcs"),))
