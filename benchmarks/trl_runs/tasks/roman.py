"""Roman numerals: an answer of one to eleven letters, paid by the share in place, judged by the whole."""

import random

from benchmarks.trl_runs.tasks.task import Difficulty, Problem, Task, exact, share_in_place

_VALUES = (
    (1000, "M"),
    (900, "CM"),
    (500, "D"),
    (400, "CD"),
    (100, "C"),
    (90, "XC"),
    (50, "L"),
    (40, "XL"),
    (10, "X"),
    (9, "IX"),
    (5, "V"),
    (4, "IV"),
    (1, "I"),
)
_NUMBERS: dict[Difficulty, tuple[int, int]] = {"easy": (1, 3), "usual": (20, 399), "hard": (5_000, 9_999)}


def _draw(rng: random.Random, difficulty: Difficulty) -> Problem:
    number = rng.randint(*_NUMBERS[difficulty])
    return Problem(f"{number} in letters: ", _numeral(number), _numeral(number + 1))


def _numeral(number: int) -> str:
    text = ""
    for value, letters in _VALUES:
        times, number = divmod(number, value)
        text += times * letters
    return text


def letters_in_place(problem: Problem, completion: str) -> float:
    """The share of letters in their place."""
    return share_in_place(list(problem.answer), list(completion.strip()))


def only_numerals(problem: Problem, completion: str) -> float:
    """1 for letters that are numerals, whichever they are."""
    return float(bool(completion.strip()) and set(completion.strip()) <= set("IVXLCDM"))


TASK = Task("roman", _draw, exact, {"letters_in_place": letters_in_place}, only_numerals)
