"""Wishes: a made-up word with a given first and last letter and length, where many are right; paid for each wish."""

import random
from string import ascii_lowercase

from benchmarks.trl_runs.tasks.task import Difficulty, Problem, Task

_LENGTHS: dict[Difficulty, tuple[int, int]] = {"easy": (2, 2), "usual": (3, 9), "hard": (30, 40)}
_VOWELS = "aeiou"


def _draw(rng: random.Random, difficulty: Difficulty) -> Problem:
    first, last, length = rng.choice(ascii_lowercase), rng.choice(ascii_lowercase), rng.randint(*_LENGTHS[difficulty])
    vowel, other = rng.choice(_VOWELS), rng.choice(ascii_lowercase)
    middle = (f"{vowel}n" * length)[: length - 2]
    return Problem(f"{first} to {last} by {length}: ", first + middle + last, first + middle + other)


def first_letter(problem: Problem, completion: str) -> float:
    """1 for a word with the right first letter."""
    return float(_word(completion)[:1] == problem.answer[0])


def last_letter(problem: Problem, completion: str) -> float:
    """1 for a word with the right last letter."""
    return float(_word(completion)[-1:] == problem.answer[-1])


def as_long(problem: Problem, completion: str) -> float:
    """1 for a word of the right length, and less for each letter more or fewer."""
    word = _word(completion)
    return max(0.0, 1 - abs(len(word) - len(problem.answer)) / len(problem.answer)) if word else 0.0


def grants_all(problem: Problem, completion: str) -> float:
    """1 for a word that has all of it."""
    wishes = (first_letter, last_letter, as_long)
    return float(all(wish(problem, completion) == 1 for wish in wishes))


def only_a_word(problem: Problem, completion: str) -> float:
    """1 for one word of letters, whichever it is."""
    return float(bool(_word(completion)))


def _word(completion: str) -> str:
    """The word that a completion is; nothing if it is anything else."""
    word = completion.strip()
    return word if set(word) <= set(ascii_lowercase) else ""


TASK = Task(
    "wishes",
    _draw,
    grants_all,
    {"last_letter": last_letter, "first_letter": first_letter, "as_long": as_long},
    only_a_word,
)
