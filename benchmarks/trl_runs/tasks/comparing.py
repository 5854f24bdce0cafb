"""Comparing two numbers: an answer of one token."""

import random

from benchmarks.trl_runs.tasks.task import Difficulty, Problem, Task, exact

_MARKS = "<>="
_HIGHEST: dict[Difficulty, int] = {"easy": 3, "usual": 99, "hard": 99_999}


def _draw(rng: random.Random, difficulty: Difficulty) -> Problem:
    one = rng.randint(0, _HIGHEST[difficulty])
    other = one if rng.random() < 0.15 else rng.randint(0, _HIGHEST[difficulty])
    answer = _MARKS[0] if one < other else _MARKS[1] if one > other else _MARKS[2]
    return Problem(f"{one}?{other} ", answer, _MARKS[0] if one > other else _MARKS[1])


def is_a_mark(problem: Problem, completion: str) -> float:
    """1 for one of the three marks, right or wrong."""
    return float(completion.strip() in set(_MARKS))


TASK = Task("comparing", _draw, exact, {"comparison_is_right": exact}, is_a_mark)
