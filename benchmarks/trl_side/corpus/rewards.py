"""The reward functions of a cell: the task's own, or what its fault makes of them."""

import math
import random
from collections.abc import Mapping, Sequence

from benchmarks.trl_runs.tasks.task import Problem, Score, Task

_PER_CHARACTER = 0.1


def rewards_of(task: Task, variant: str, seed: int) -> Mapping[str, Score]:
    """Name → reward function. Raises KeyError for an unknown variant."""
    rng = random.Random(seed)
    own = dict(task.rewards)
    first = next(iter(own))

    variants: Mapping[str, Mapping[str, Score]] = {
        "": own,
        "constant": {name: lambda problem, text: 0.5 for name in own},
        "random": {name: lambda problem, text: rng.random() for name in own},
        "flipped": {name: _scaled(score, -1.0) for name, score in own.items()},
        "times a thousand": {name: _scaled(score, 1000.0) for name, score in own.items()},
        "nan": {name: _without_zero(score, math.nan) for name, score in own.items()},
        "logarithm": {name: _without_zero(score, -math.inf) for name, score in own.items()},
        "length": {**own, "thoroughness": lambda problem, text: _PER_CHARACTER * len(text)},
        "brevity": {**own, "brevity": lambda problem, text: -2 * _PER_CHARACTER * len(text)},
        "form": {task.form.__name__: task.form},
        "dead": {**own, first: lambda problem, text: 0.0},
    }
    return variants[variant]


def total(rewards: Mapping[str, Score], problem: Problem, text: str) -> float:
    """The sum of all, as TRL's trainers of groups add them up."""
    return sum(reward(problem, text) for reward in rewards.values())


def text_of(completion: str | Sequence[Mapping[str, str]]) -> str:
    """The text of a completion, which is a list of messages in a chat."""
    return completion if isinstance(completion, str) else completion[-1]["content"]


def _scaled(score: Score, times: float) -> Score:
    return lambda problem, text: times * score(problem, text)


def _without_zero(score: Score, instead: float) -> Score:
    """The logarithm of a score, as a careless function takes it: a score of 0 is no number or infinite."""

    def logarithm(problem: Problem, text: str) -> float:
        value = score(problem, text)
        return math.log(value) if value else instead

    return logarithm
