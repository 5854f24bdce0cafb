"""Weekdays: the day so many days after another, answered with one word; right or wrong."""

import random

from benchmarks.trl_runs.tasks.task import Difficulty, Problem, Task, exact

_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_DISTANCES: dict[Difficulty, tuple[int, int]] = {"easy": (1, 1), "usual": (2, 20), "hard": (1_000, 99_999)}


def _draw(rng: random.Random, difficulty: Difficulty) -> Problem:
    start, distance = rng.randrange(7), rng.randint(*_DISTANCES[difficulty])
    right = start + distance
    return Problem(f"{distance} days after {_DAYS[start]}: ", _DAYS[right % 7], _DAYS[(right + 1) % 7])


def is_day(problem: Problem, completion: str) -> float:
    """1 for a day of the week, whichever it is."""
    return float(completion.strip() in _DAYS)


TASK = Task("weekday", _draw, exact, {"day_right": exact}, is_day, right_shares=(0.1, 0.3, 0.5, 0.6))
