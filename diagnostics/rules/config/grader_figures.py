"""The figures of each reward function that was tried: what it was judged by, what it paid, and how long it took."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from diagnostics.model.setup import Setup, Trial
from diagnostics.rules.config.generation_batch import generated_at_once
from diagnostics.rules.config.grader_trials import (
    Paid,
    by_function,
    depends_on_the_answer_alone,
    mean_seconds,
    paid_answers,
    scales,
    slowest,
)
from diagnostics.rules.config.pf_grader_paid import PfGraderPaid


@dataclass(frozen=True, slots=True)
class GraderFigures:
    """One reward function: the answers tried, those paid although they are not right, the seconds for one answer.

    unjudged: why what is paid without reason cannot be told; empty where it can · highest: the trial with the highest
    score · completions: of a step; None where the settings do not say.
    """

    function: str
    answers: int
    unjudged: str
    paid: tuple[Paid, ...]
    highest: Trial | None
    mean_seconds: float | None
    slowest: Trial | None
    completions: float | None

    @property
    def step_seconds(self) -> float | None:
        """What a step's completions take one after another, if they take what these answers took on average."""
        known = self.mean_seconds is not None and self.completions is not None
        return (self.mean_seconds or 0.0) * (self.completions or 0.0) if known else None


def grader_figures(setup: Setup) -> tuple[GraderFigures, ...]:
    """The figures of every function that was tried, in their order; none where none was."""
    completions, _ = generated_at_once(setup)
    return tuple(
        GraderFigures(
            function=name,
            answers=len(trials),
            unjudged=(unjudged := _unjudged(trials)),
            paid=() if unjudged else tuple(paid_answers(trials, PfGraderPaid.limits.share)),
            highest=max((trial for trial in trials if _is_finite(trial)), key=_score, default=None),
            mean_seconds=mean_seconds(trials),
            slowest=slowest(trials),
            completions=completions,
        )
        for name, trials in by_function(setup.trials or ()).items()
    )


def _unjudged(trials: Sequence[Trial]) -> str:
    if all(trial.score is None for trial in trials):
        return "it gave no score"
    if not depends_on_the_answer_alone(trials):
        return "its scores depend on more than the answer"
    if not any(trial.kind == "gold" for trial in trials):
        return "the data have no right answers"
    return "" if scales(trials) else "it does not pay the right answer more than wrong ones on every prompt"


def _is_finite(trial: Trial) -> bool:
    return trial.score is not None and math.isfinite(trial.score)


def _score(trial: Trial) -> float:
    return trial.score or 0.0
