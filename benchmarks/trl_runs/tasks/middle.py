"""The middle one of a few letters: an answer of one token."""

import random
from string import ascii_lowercase

from benchmarks.trl_runs.tasks.task import Difficulty, Problem, Task, exact

_LENGTHS: dict[Difficulty, int] = {"easy": 1, "usual": 5, "hard": 31}


def _draw(rng: random.Random, difficulty: Difficulty) -> Problem:
    letters = rng.choices(ascii_lowercase, k=_LENGTHS[difficulty])
    middle = len(letters) // 2
    return Problem(" ".join(letters) + " = ", letters[middle], letters[middle - 1])


def is_a_letter(problem: Problem, completion: str) -> float:
    """1 for any single letter, right or wrong."""
    return float(len(completion.strip()) == 1 and completion.strip() in ascii_lowercase)


TASK = Task("middle", _draw, exact, {"letter_is_right": exact}, is_a_letter)
