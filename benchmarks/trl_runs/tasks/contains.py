"""Contains: whether a letter is in a word, where a guess is right half the time; answered with yes or no."""

import random
from string import ascii_lowercase

from benchmarks.trl_runs.tasks.task import Difficulty, Problem, Task, exact

_LENGTHS: dict[Difficulty, tuple[int, int]] = {"easy": (1, 1), "usual": (3, 6), "hard": (20, 26)}


def _draw(rng: random.Random, difficulty: Difficulty) -> Problem:
    word = "".join(rng.choices(ascii_lowercase, k=rng.randint(*_LENGTHS[difficulty])))
    others = [letter for letter in ascii_lowercase if letter not in word]
    is_in = not others or rng.random() < 0.5
    letter = rng.choice(word if is_in else others)
    right, wrong = ("yes", "no") if is_in else ("no", "yes")
    return Problem(f"is {letter} in {word}: ", right, wrong)


def is_yes_or_no(problem: Problem, completion: str) -> float:
    """1 for either answer."""
    return float(completion.strip() in ("yes", "no"))


TASK = Task("contains", _draw, exact, {"answer_right": exact}, is_yes_or_no)
