"""Fractions: one brought to its lowest terms; its value pays in part, as does that it cannot be shortened further."""

import random
from fractions import Fraction
from math import gcd

from benchmarks.trl_runs.tasks.task import Difficulty, Problem, Task, exact

_TERMS: dict[Difficulty, int] = {"easy": 3, "usual": 12, "hard": 997}
_FACTORS: dict[Difficulty, tuple[int, ...]] = {"easy": (2,), "usual": (2, 3, 4, 5, 6, 7, 8, 9), "hard": (13, 17, 19)}


def _draw(rng: random.Random, difficulty: Difficulty) -> Problem:
    most = _TERMS[difficulty]
    value = Fraction(rng.randint(1, most), rng.randint(2, most))
    top, bottom = value.numerator, value.denominator
    factor = rng.choice(_FACTORS[difficulty])
    return Problem(f"reduce {top * factor}/{bottom * factor}: ", f"{top}/{bottom}", f"{top}/{bottom + 1}")


def same_value(problem: Problem, completion: str) -> float:
    """1 for a fraction of the same value, less the further off it is; 0 from twice the value on."""
    terms = _terms(completion)
    right = Fraction(problem.answer)
    return max(0.0, 1 - float(abs(Fraction(*terms) - right) / right)) if terms else 0.0


def in_lowest_terms(problem: Problem, completion: str) -> float:
    """1 for a fraction that cannot be shortened, whatever its value."""
    terms = _terms(completion)
    return float(terms is not None and gcd(*terms) == 1)


def only_a_fraction(problem: Problem, completion: str) -> float:
    """1 for two numbers with a slash between them."""
    return float(_terms(completion) is not None)


def _terms(completion: str) -> tuple[int, int] | None:
    """What stands above and below the line; nothing if the completion is anything else."""
    top, slash, bottom = completion.strip().partition("/")
    is_one = slash and all(part.isascii() and part.isdigit() and len(part) < 9 for part in (top, bottom))
    return (int(top), int(bottom)) if is_one and int(bottom) else None


TASK = Task(
    "fractions",
    _draw,
    exact,
    {"same_value": same_value, "in_lowest_terms": in_lowest_terms},
    only_a_fraction,
)
