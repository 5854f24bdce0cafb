"""Dates: a written date in the order of ISO 8601, where the mistake is to take the month after; right or wrong."""

import random
from datetime import date, timedelta

from benchmarks.trl_runs.tasks.task import Difficulty, Problem, Task, exact

_YEARS: dict[Difficulty, tuple[int, int]] = {"easy": (2024, 2024), "usual": (1980, 2029), "hard": (1200, 1299)}
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


def _draw(rng: random.Random, difficulty: Difficulty) -> Problem:
    first, last = _YEARS[difficulty]
    day = date(rng.randint(first, last), 1, 1) + timedelta(days=rng.randrange(365))
    said = f"day {day:%j} of {day.year}" if difficulty == "hard" else f"{day.day} {_MONTHS[day.month - 1]} {day.year}"
    return Problem(f"{said} = ", day.isoformat(), f"{day.year}-{day.month % 12 + 1:02}-{day.day:02}")


def is_date(problem: Problem, completion: str) -> float:
    """1 for any date of the calendar, written as asked."""
    text = completion.strip()
    try:
        return float(date.fromisoformat(text).isoformat() == text)
    except ValueError:
        return 0.0


TASK = Task("dates", _draw, exact, {"date_right": exact, "is_date": is_date}, is_date)
