"""Checks of the rewards: how many there are, whether the critic can follow their scale, whether they rank answers."""

import math
from collections.abc import Sequence
from statistics import fmean

from diagnostics.model.algorithms import PPO_FAMILY
from diagnostics.model.outcome import Severity
from diagnostics.model.setup import Setup, Trial
from diagnostics.rules.config.check import Check, Concern, Finding, Fine, Limit, Limits, fixed


class ManyRewards(Check):
    """Many reward functions at once: when the sum does not move, nobody knows which one is to blame.

    Begin with one signal, see it rise, then add the next.
    """

    code = "PF401"
    name = "pf-many-rewards"
    grade = "S"
    source = "TRL training FAQ: start simple"
    reads = ("reward_funcs",)
    limits = fixed(
        {"most": Limit(2, "functions", "TRL training FAQ: start simple; the number is an engineering default")}
    )
    texts = fixed(
        {
            "fired": "{parameter} names {count} functions: begin with one signal, see it rise, then add the next.",
        }
    )

    def judge(self, setup: Setup, limits: Limits) -> Finding:
        count = len(setup.reward_names)
        if count <= limits["most"]:
            return Fine(count, limits["most"], "functions")
        return self.concern(
            Severity.INFO,
            setup.known("reward_funcs"),
            measured=count,
            limit=limits["most"],
            unit="functions",
            count=count,
        )


class RewardSmoke(Check):
    """Tried on answers that are surely right, empty, junk or extreme, the rewards do not tell them apart.

    They must be finite, must not give all answers the same, and must rank a right answer above junk: otherwise the
    training learns nothing, or the wrong thing. Right answers are known where the data have a column such as `answer`,
    and the best of several forms counts, since a reward may ask for one. Ranking is judged by the weighted sum. One
    function among several that gives all answers the same is a warning, and so is one without right answers to try:
    it may ask for words or a form that these answers lack. The functions run in a process of the trainer.
    """

    code = "PF402"
    name = "pf-reward-smoke"
    grade = "S"
    source = "TRL training FAQ: look at extreme cases of the reward"
    reads = ()
    texts = fixed(
        {
            "nonfinite": "{function} gave {score} to {kind} answer “{answer}”: rewards must be finite.",
            "equal": "The rewards gave {score} to every answer: right, empty, junk and extreme ones alike.",
            "equal-function": "{function} gave {score} to every answer that was tried; it may ask for words or a form "
            "that these lack.",
            "rank": "The rewards gave junk {junk} on average and the best form of right answers {gold}: right ones "
            "must rank above.",
            "untried": "The reward functions were not tried.",
            "untried.enable": "Try them: rlvitals preflight CONFIG --smoke, or “Try the settings” on the Launch page.",
            "unscored": "No reward function could score any of the answers that were tried.",
            "unscored.enable": "Give the dataset the columns that the reward functions read.",
        }
    )

    def applies(self, setup: Setup) -> bool:
        return setup.is_ours or setup.trials is not None

    def judge(self, setup: Setup, limits: Limits) -> Finding:
        if setup.trials is None:
            return self.unknown("untried", "untried.enable")
        scored = [trial for trial in setup.trials if trial.score is not None]
        if not scored:
            return self.unknown("unscored", "unscored.enable")
        problems = (self._nonfinite, self._equal, self._rank, self._equal_function)
        found = (problem(setup, scored) for problem in problems)
        return next((item for item in found if item is not None), None) or Fine(len(scored), unit="answers tried")

    def _nonfinite(self, setup: Setup, trials: Sequence[Trial]) -> Concern | None:
        odd = next((trial for trial in trials if not math.isfinite(_score(trial))), None)
        if odd is None:
            return None
        values = {"score": str(odd.score), "kind": _ARTICLES.get(odd.kind, odd.kind), "answer": odd.answer[:_QUOTED]}
        return self._concern(setup, Severity.CRITICAL, "nonfinite", function=odd.function, **values)

    def _equal(self, setup: Setup, trials: Sequence[Trial]) -> Concern | None:
        totals = _totals(setup, trials)
        if len(totals) < 2 or len({total.score for total in totals}) > 1:
            return None
        knows_right = any(total.kind == "gold" for total in totals)
        if knows_right:
            return self._concern(setup, Severity.CRITICAL, "equal", score=_score(totals[0]))
        first = trials[0]
        return self._concern(setup, Severity.WARNING, "equal-function", function=first.function, score=_score(first))

    def _rank(self, setup: Setup, trials: Sequence[Trial]) -> Concern | None:
        totals = _totals(setup, trials)
        best: dict[str, float] = {}
        for total in totals:
            if total.kind == "gold":
                best[total.prompt] = max(best.get(total.prompt, -math.inf), _score(total))
        junk = [_score(total) for total in totals if total.kind == "junk"]
        if not best or not junk or fmean(best.values()) > fmean(junk):
            return None
        return self._concern(setup, Severity.CRITICAL, "rank", gold=fmean(best.values()), junk=fmean(junk))

    def _equal_function(self, setup: Setup, trials: Sequence[Trial]) -> Concern | None:
        for function in dict.fromkeys(trial.function for trial in trials):
            scores = [_score(trial) for trial in trials if trial.function == function]
            if len(scores) > 1 and len(set(scores)) == 1:
                return self._concern(setup, Severity.WARNING, "equal-function", function=function, score=scores[0])
        return None

    def _concern(self, setup: Setup, severity: Severity, key: str, **values: str | float) -> Concern:
        return Concern(severity, self.say(key, **values), (setup.parameter("reward_funcs"),))


class ValueClip(Check):
    """The critic may move by little at a time, while the scores are large: it never catches up with them.

    Each update clips the value at cliprange_value from where it was; scores far beyond that take many steps to reach.
    """

    code = "PF701"
    name = "pf-value-clip"
    grade = "C"
    source = "TRL PPOTrainer: the value is clipped to its old value ± cliprange_value"
    reads = ("value_clip_range",)
    algorithms = PPO_FAMILY
    limits = fixed(
        {
            "range": Limit(0.2, "", "TRL PPOConfig: cliprange_value 0.2"),
            "score": Limit(2.0, "", "engineering default: ten times the clip range"),
        }
    )
    texts = fixed(
        {
            "fired": "Scores reach {score} and {parameter} is {value}{origin}: the critic needs many steps to follow.",
            "unread": "How large the scores are is not known before the rewards are tried.",
            "unread.enable": "Try the rewards: rlvitals preflight CONFIG --smoke.",
            "why": "A wider range lets the critic follow; dividing the scores by their deviation does as well.",
        }
    )

    def judge(self, setup: Setup, limits: Limits) -> Finding:
        setting = setup.known("value_clip_range")
        is_normal = setup.is_on("use_score_scaling") or setup.is_on("whiten_rewards")
        if setting.number is None or setting.number > limits["range"] or is_normal:
            return Fine(setting.number, limits["range"])
        scores = [abs(_score(trial)) for trial in setup.trials or () if trial.score is not None]
        largest = max((score for score in scores if math.isfinite(score)), default=None)
        if largest is None:
            return self.unknown("unread", "unread.enable")
        if largest <= limits["score"]:
            return Fine(largest, limits["score"])
        return self.concern(
            Severity.WARNING, setting, suggested=float(f"{largest / 10:.1g}"), measured=largest, limit=limits["score"],
            score=largest,
        )  # fmt: skip


_ARTICLES = {"gold": "a right", "empty": "the empty", "junk": "a junk", "extreme": "an extreme"}
_QUOTED = 40  # characters of an answer that a message repeats


def _score(trial: Trial) -> float:
    return math.nan if trial.score is None else trial.score


def _totals(setup: Setup, trials: Sequence[Trial]) -> list[Trial]:
    """The weighted sum of all functions for each answer."""
    names = list(dict.fromkeys(trial.function for trial in trials))
    given = setup.get("reward_weights")
    values = given.value if given is not None and isinstance(given.value, list | tuple) else ()
    weights = dict(zip(names, values, strict=False)) if len(values) == len(names) else {}
    sums: dict[tuple[str, str, str], float] = {}
    for trial in trials:
        key = (trial.kind, trial.prompt, trial.answer)
        sums[key] = sums.get(key, 0.0) + float(weights.get(trial.function, 1.0)) * _score(trial)
    return [Trial("", kind, prompt, answer, total) for (kind, prompt, answer), total in sums.items()]
