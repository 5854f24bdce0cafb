"""Plurals of made-up nouns by the rules of English, which the end of the noun decides; right as a whole or wrong."""

import random

from benchmarks.trl_runs.tasks.task import Difficulty, Problem, Task, exact

_SYLLABLES = [a + b for a in "bdglmnprst" for b in "aeiou"]
_COUNTS: dict[Difficulty, tuple[int, int]] = {"easy": (1, 1), "usual": (1, 3), "hard": (9, 12)}
_ENDS = {"p": "ps", "n": "ns", "ss": "sses", "sh": "shes", "x": "xes", "ky": "kies", "py": "pies", "af": "aves"}


def _draw(rng: random.Random, difficulty: Difficulty) -> Problem:
    stem = "".join(rng.choices(_SYLLABLES, k=rng.randint(*_COUNTS[difficulty])))
    end = rng.choice(list(_ENDS))
    noun, plural = stem + end, stem + _ENDS[end]
    return Problem(f"many {noun}: ", plural, noun + ("es" if plural == f"{noun}s" else "s"))


def is_plural(problem: Problem, completion: str) -> float:
    """1 for any one word in s, right or wrong."""
    word = completion.strip()
    return float(word.isalpha() and word.endswith("s"))


TASK = Task("plurals", _draw, exact, {"plural_right": exact}, is_plural)
