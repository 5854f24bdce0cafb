"""Brackets: close what is open. Paid by the share in place, judged by the whole."""

import random

from benchmarks.trl_runs.tasks.task import Difficulty, Problem, Task, exact, share_in_place

_CLOSING = {"(": ")", "[": "]", "{": "}", "<": ">"}
_DEPTHS: dict[Difficulty, tuple[int, int]] = {"easy": (1, 1), "usual": (2, 5), "hard": (14, 18)}


def _draw(rng: random.Random, difficulty: Difficulty) -> Problem:
    opened = rng.choices(list(_CLOSING), k=rng.randint(*_DEPTHS[difficulty]))
    closing = [_CLOSING[mark] for mark in reversed(opened)]
    return Problem("".join(opened) + " ", "".join(closing), "".join(reversed(closing)))


def closed_in_order(problem: Problem, completion: str) -> float:
    """The share of brackets in their place."""
    return share_in_place(list(problem.answer), list(completion.strip()))


def only_brackets(problem: Problem, completion: str) -> float:
    """1 for closing brackets alone, right or wrong."""
    return float(bool(completion.strip()) and set(completion.strip()) <= set(_CLOSING.values()))


TASK = Task("brackets", _draw, exact, {"closed_in_order": closed_in_order}, only_brackets)
