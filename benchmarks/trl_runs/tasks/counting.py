"""Counting up: answers that have to be long, paid by three reward functions."""

import random

from benchmarks.trl_runs.tasks.task import Difficulty, Problem, Task, share_in_place

_LENGTHS: dict[Difficulty, tuple[int, int]] = {"easy": (2, 3), "usual": (8, 11), "hard": (40, 45)}


def _draw(rng: random.Random, difficulty: Difficulty) -> Problem:
    first, length = rng.randint(0, 60), rng.randint(*_LENGTHS[difficulty])
    numbers = [str(number) for number in range(first, first + length)]
    return Problem(f"{numbers[0]} to {numbers[-1]}: ", " ".join(numbers), " ".join(numbers[::2]))


def numbers_in_place(problem: Problem, completion: str) -> float:
    """The share of numbers in their place."""
    return share_in_place(problem.answer.split(), completion.split())


def ends_right(problem: Problem, completion: str) -> float:
    """1 for the right last number."""
    return float(completion.split()[-1:] == problem.answer.split()[-1:])


def only_numbers(problem: Problem, completion: str) -> float:
    """1 for numbers and spaces alone."""
    return float(bool(completion.split()) and all(word.isdecimal() for word in completion.split()))


TASK = Task(
    "counting",
    _draw,
    numbers_in_place,
    {"numbers_in_place": numbers_in_place, "ends_right": ends_right, "only_numbers": only_numbers},
    only_numbers,
)
