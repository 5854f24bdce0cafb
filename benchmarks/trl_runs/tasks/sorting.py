"""Sorting digits: right as a whole or wrong, and seldom right at the start."""

import random

from benchmarks.trl_runs.tasks.task import Difficulty, Problem, Task, exact

_COUNTS: dict[Difficulty, tuple[int, int]] = {"easy": (1, 2), "usual": (3, 5), "hard": (16, 18)}


def _draw(rng: random.Random, difficulty: Difficulty) -> Problem:
    digits = [rng.choice("0123456789") for _ in range(rng.randint(*_COUNTS[difficulty]))]
    rising = "".join(sorted(digits))
    return Problem(f"sort {''.join(digits)} ", rising, rising[::-1])


def is_rising(problem: Problem, completion: str) -> float:
    """1 for digits in rising order, whichever they are."""
    digits = completion.strip()
    return float(digits.isdecimal() and list(digits) == sorted(digits))


TASK = Task("sorting", _draw, exact, {"sorted_right": exact}, is_rising, right_shares=(0.1, 0.2, 0.3, 0.4))
