"""What the trials of reward functions say of each: what it pays for, how long it takes, whether it repeats itself."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from diagnostics.model.messages import Message, Value, shortened
from diagnostics.model.setup import Trial
from diagnostics.rules.limits import RuleLimits, limit

TEXTS: Mapping[str, str] = {
    "grader.paid": "{score} for {answer} (right {right}, wrong {wrong})",
    "grader.gives": "{function} gives {answers}",
    "grader.no-score": "no score",
}
QUOTED = 40  # characters of an answer that a message repeats
SAME = 0.01
"""Scores nearer than this share of the spread of a function's scores count as the same."""


class Sameness(RuleLimits):
    """Which scores are the same."""

    tolerance: float = limit(SAME, "of the spread of a function's scores", "engineering default")


@dataclass(frozen=True, slots=True)
class Paid:
    """An answer that earned what right answers earn.

    `right` is the best score of a right answer to that prompt, `wrong` the worst of an honest wrong one, and `share`
    how far the answer got from the wrong one to the right one.
    """

    trial: Trial
    right: float
    wrong: float
    share: float


def by_function(trials: Iterable[Trial]) -> dict[str, list[Trial]]:
    """The trials of each function, in the order of the functions."""
    found: dict[str, list[Trial]] = {}
    for trial in trials:
        found.setdefault(trial.function, []).append(trial)
    return found


def scales(trials: Iterable[Trial]) -> dict[str, tuple[float, float]]:
    """For each prompt the worst score of an honest wrong answer and the best of a right one.

    Empty for a function that does not pay the right answer more than every wrong one on every prompt: what it pays for
    is something else, such as length or form.
    """
    right, wrong = _scores_by_prompt(trials, "gold"), _scores_by_prompt(trials, "wrong")
    both = [prompt for prompt in right if prompt in wrong]
    if any(max(right[prompt]) <= max(wrong[prompt]) for prompt in both):
        return {}
    return {prompt: (min(wrong[prompt]), max(right[prompt])) for prompt in both}


def _scores_by_prompt(trials: Iterable[Trial], kind: str) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for trial in trials:
        if trial.kind == kind and trial.score is not None and math.isfinite(trial.score):
            found.setdefault(trial.prompt, []).append(trial.score)
    return found


def paid_answers(trials: Sequence[Trial], least: float) -> list[Paid]:
    """The answers of one function that got `least` of the way from wrong to right; of each policy the best paid."""
    known = scales(trials)
    best: dict[str, Paid] = {}
    for trial in trials:
        if trial.kind in ("gold", "wrong") or trial.score is None or trial.prompt not in known:
            continue
        wrong, right = known[trial.prompt]
        share = (trial.score - wrong) / (right - wrong)
        if share >= least and (trial.policy not in best or share > best[trial.policy].share):
            best[trial.policy] = Paid(trial, right, wrong, share)
    return sorted(best.values(), key=lambda paid: -paid.share)


def differing(trials: Sequence[Trial], way: str, tolerance: float = SAME) -> Trial | None:
    """The first trial that scored otherwise when it was called that way; None where all scored the same."""
    scores = [trial.score for trial in trials if trial.score is not None and math.isfinite(trial.score)]
    allowed = tolerance * (max(scores) - min(scores)) if scores else 0.0
    return next((t for t in trials if way in t.repeats and _differ(t.score, t.repeats[way], allowed)), None)


def _differ(one: float | None, two: float | None, allowed: float) -> bool:
    if one is None or two is None:
        return one is not two
    if math.isfinite(one) and math.isfinite(two):
        return abs(one - two) > allowed
    return not (one == two or (math.isnan(one) and math.isnan(two)))


def is_repeatable(trials: Sequence[Trial]) -> bool:
    """Whether a function gave the same answers the same scores when it was called again."""
    return differing(trials, "again") is None


def depends_on_the_answer_alone(trials: Sequence[Trial]) -> bool:
    """Whether an answer gets the same score in every call, whatever stands beside it."""
    return not any(differing(trials, way) for way in ("again", "reordered", "alone"))


def mean_seconds(trials: Iterable[Trial]) -> float | None:
    """The mean time for one answer alone; None where none was timed to its end."""
    found = [trial.seconds for trial in trials if trial.seconds is not None and not trial.is_hung]
    return fmean(found) if found else None


def slowest(trials: Iterable[Trial]) -> Trial | None:
    """The trial that took longest; None where none was timed."""
    return max((trial for trial in trials if trial.seconds is not None), key=_seconds, default=None)


def _seconds(trial: Trial) -> float:
    return trial.seconds or 0.0


def quoted(trial: Trial) -> str:
    """The policy and the answer: `nan-numbers “nan”`."""
    return f"{trial.policy or trial.kind} “{shortened(trial.answer, QUOTED)}”"


def paid_line(paid: Paid) -> Message:
    """An answer that was paid, with its scale: `1 for nan-numbers “nan” (right 1, wrong 0)`."""
    words = {"score": score_text(paid.trial.score), "answer": quoted(paid.trial)}
    return Message("grader.paid", {**words, "right": paid.right, "wrong": paid.wrong})


def score_text(score: float | None) -> Message | Value:
    """A score for a message."""
    return Message("grader.no-score") if score is None else score
