"""Spelling made-up words letter by letter, in a chat; right as a whole or wrong."""

import random

from benchmarks.trl_runs.tasks.task import Difficulty, Problem, Task, exact

_SYLLABLES = [a + b for a in "bdfgklmnprst" for b in "aeiou"]
_COUNTS: dict[Difficulty, tuple[int, int]] = {"easy": (1, 1), "usual": (2, 4), "hard": (11, 12)}


def _draw(rng: random.Random, difficulty: Difficulty) -> Problem:
    word = "".join(rng.choices(_SYLLABLES, k=rng.randint(*_COUNTS[difficulty])))
    return Problem(f"spell {word}", "-".join(word), "-".join(word[::2]))


def is_spelt(problem: Problem, completion: str) -> float:
    """1 for single letters with hyphens, right or wrong."""
    return float(bool(completion) and all(len(part) == 1 for part in completion.strip().split("-")))


TASK = Task("spelling", _draw, exact, {"spelt_right": exact}, is_spelt, is_chat=True)
