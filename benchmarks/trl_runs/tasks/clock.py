"""Clock arithmetic: a time of day some minutes later, paid for the hour and the minute apart."""

import random

from benchmarks.trl_runs.tasks.task import Difficulty, Problem, Task, exact

_MINUTES: dict[Difficulty, tuple[int, int]] = {"easy": (1, 3), "usual": (20, 59), "hard": (10_000, 20_000)}
_DAY = 24 * 60


def _draw(rng: random.Random, difficulty: Difficulty) -> Problem:
    start, minutes = rng.randrange(_DAY), rng.randint(*_MINUTES[difficulty])
    without_carry = start - start % 60 + (start + minutes) % 60
    return Problem(f"{_time(start)} plus {minutes} = ", _time(start + minutes), _time(without_carry))


def _time(minutes: int) -> str:
    hour, minute = divmod(minutes % _DAY, 60)
    return f"{hour:02}:{minute:02}"


def hour_is_right(problem: Problem, completion: str) -> float:
    """1 for the right hour before a colon."""
    return float(completion.strip().partition(":")[0] == problem.answer.partition(":")[0])


def minute_is_right(problem: Problem, completion: str) -> float:
    """1 for the right minute after a colon."""
    return float(completion.strip().partition(":")[2] == problem.answer.partition(":")[2])


def is_a_time(problem: Problem, completion: str) -> float:
    """1 for two digits, a colon and two digits, whatever time that is."""
    hour, colon, minute = completion.strip().partition(":")
    return float(bool(colon) and all(len(part) == 2 and part.isdecimal() for part in (hour, minute)))


TASK = Task(
    "clock",
    _draw,
    exact,
    {"minute_is_right": minute_is_right, "hour_is_right": hour_is_right, "is_a_time": is_a_time},
    is_a_time,
)
