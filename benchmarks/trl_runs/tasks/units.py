"""Unit conversion: an answer in brackets, a number and a unit, paid by three reward functions."""

import random
import re

from benchmarks.trl_runs.tasks.task import Difficulty, Problem, Task, exact

_TIMES = {
    ("m", "cm"): 100,
    ("cm", "mm"): 10,
    ("km", "m"): 1000,
    ("kg", "g"): 1000,
    ("l", "ml"): 1000,
    ("t", "kg"): 1000,
}
_HIGHEST: dict[Difficulty, int] = {"easy": 2, "usual": 99, "hard": 99_999}
_FORM = re.compile(r"\[(\d+) ([a-z]+)\]")


def _draw(rng: random.Random, difficulty: Difficulty) -> Problem:
    (big, small), times = rng.choice(list(_TIMES.items()))
    amount = rng.randint(1, _HIGHEST[difficulty])
    return Problem(f"{amount} {big} in {small}: ", f"[{amount * times} {small}]", f"[{amount} {big}]")


def is_bracketed(problem: Problem, completion: str) -> float:
    """1 for a number and a unit in brackets."""
    return float(_FORM.fullmatch(completion.strip()) is not None)


def number_is_right(problem: Problem, completion: str) -> float:
    """1 for the right number, whatever stands around it."""
    return float(re.findall(r"\d+", completion) == re.findall(r"\d+", problem.answer))


def unit_is_right(problem: Problem, completion: str) -> float:
    """1 for the right unit, whatever stands around it."""
    return float(re.findall(r"[a-z]+", completion) == re.findall(r"[a-z]+", problem.answer))


TASK = Task(
    "units",
    _draw,
    exact,
    {"number_is_right": number_is_right, "unit_is_right": unit_is_right, "is_bracketed": is_bracketed},
    is_bracketed,
)
