"""Trials of one reward function: every answer alone and timed, then together, again, and in another order."""

from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, repeat
from statistics import fmean
from time import perf_counter
from typing import Any

from diagnostics.model.setup import Trial
from trainer.config.reward_names import RewardError
from trainer.data.conversations import as_completion
from trainer.data.dataset import Row
from trainer.rewards.answer_policies import Answer, Question, gold_answers, other_answers
from trainer.rewards.function import RewardFunc

ALONE_SECONDS = 20.0
"""After this long, further answers of a slow function are not tried."""
WARM_UP_SECONDS = 30.0
"""What the first call may be expected to take: it may import or load something, and is not timed."""
TOGETHER_SECONDS = 20.0
"""What three calls with many answers may be expected to take; a slow function gets fewer answers."""

ALL_AT_ONCE = "all-at-once"
"""Stands for the policy while many answers are scored in one call."""

Event = Mapping[str, Any]
_Scores = Mapping[str, float | None]
_NOT_TOGETHER: _Scores = {}


@dataclass(frozen=True, slots=True)
class Task:
    """A row of the dataset and the question that it asks."""

    row: Row
    question: Question


@dataclass(frozen=True, slots=True)
class _Single:
    """One answer, scored alone; `error` is what the function raised instead."""

    task: Task
    answer: Answer
    score: float | None
    seconds: float
    error: str = ""


def try_function(function: RewardFunc, tasks: Sequence[Task]) -> Generator[Event, None, list[Trial]]:
    """Try a reward function on what every answer policy writes; says before each call what is tried.

    Raises:
        RewardError: It raised whatever the answer, or with many answers though with none alone.
    """
    singles = yield from _alone(function, tasks)
    scored = [single for single in singles if not single.error]
    if not scored:
        raise RewardError(singles[0].error)
    together = yield from _together(function, scored)
    repeats = chain(together, repeat(_NOT_TOGETHER))
    ordered = [*scored, *(single for single in singles if single.error)]
    return [_trial(function, single, scores) for single, scores in zip(ordered, repeats, strict=False)]


def _alone(function: RewardFunc, tasks: Sequence[Task]) -> Generator[Event, None, list[_Single]]:
    function.load()
    singles: list[_Single] = []
    deadline = perf_counter() + ALONE_SECONDS
    for task in tasks:
        yield from _warm_up(function, task, singles)
        form = yield from _best_form(function, task, singles)
        for answer in other_answers(replace(task.question, form=form)):
            if perf_counter() > deadline:
                return singles
            singles.append((yield from _score_alone(function, task, answer)))
    return singles


def _warm_up(function: RewardFunc, task: Task, singles: Sequence[_Single]) -> Iterator[Event]:
    """The first call of all."""
    if not singles:
        yield from _score_alone(function, task, next(other_answers(task.question)), WARM_UP_SECONDS)


def _best_form(function: RewardFunc, task: Task, singles: list[_Single]) -> Generator[Event, None, str]:
    """The form of the right answer that earns most; the plain one where nothing is known to be right."""
    best, most = task.question.form, float("-inf")
    for form, answer in gold_answers(task.question):
        singles.append((yield from _score_alone(function, task, answer)))
        score = singles[-1].score
        if score is not None and score > most:
            best, most = form, score
    return best


def _score_alone(
    function: RewardFunc, task: Task, answer: Answer, expected: float = 0.0
) -> Generator[Event, None, _Single]:
    yield {"trying": _words(function, task, answer), "expected": expected}
    began = perf_counter()
    try:
        (score,) = _score(function, [(task, answer)])
    except RewardError as error:
        return _Single(task, answer, None, perf_counter() - began, str(error))
    return _Single(task, answer, score, perf_counter() - began)


def _together(function: RewardFunc, scored: Sequence[_Single]) -> Generator[Event, None, list[_Scores]]:
    """Scores of many answers at once, again, and in the opposite order; fewer answers for a slow function."""
    each = max(fmean(single.seconds for single in scored), 1e-6)
    batch = scored[: max(2, int(TOGETHER_SECONDS / (3 * each)))]
    asked = [(single.task, single.answer) for single in batch]
    words = {**_words(function, *asked[0]), "policy": ALL_AT_ONCE, "answer": ""}
    yield {"trying": words, "expected": 3 * each * len(batch)}
    together, again = _score(function, asked), _score(function, asked)
    reordered = _score(function, asked[::-1])[::-1]
    return [
        {"together": one, "again": two, "reordered": three, "alone": single.score}
        for one, two, three, single in zip(together, again, reordered, batch, strict=True)
    ]


def _trial(function: RewardFunc, single: _Single, scores: _Scores) -> Trial:
    repeats = dict(scores)
    policy = single.answer.policy
    return Trial(
        function.name,
        policy.kind,
        single.task.question.prompt,
        single.answer.text,
        repeats.pop("together", single.score),
        policy=policy.name,
        knows_answer=policy.knows_answer,
        seconds=single.seconds,
        repeats=repeats,
        error=single.error,
    )


def _score(function: RewardFunc, asked: Sequence[tuple[Task, Answer]]) -> list[float | None]:
    rows = [task.row for task, _ in asked]
    names = {name for row in rows for name in row} - {"prompt", "prompts", "completions"}
    columns = {name: [row.get(name) for row in rows] for name in names}
    completions = [as_completion(answer.text, task.row["prompt"]) for task, answer in asked]
    return function([row["prompt"] for row in rows], completions, **columns)


def _words(function: RewardFunc, task: Task, answer: Answer) -> dict[str, str]:
    return {
        "function": function.name,
        "kind": answer.policy.kind,
        "policy": answer.policy.name,
        "prompt": task.question.prompt,
        "answer": answer.text,
    }
