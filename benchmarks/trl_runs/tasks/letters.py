"""Letters: a row of the alphabet in steps, which is long by nature; paid by the share in place, judged by the whole."""

import random
from string import ascii_lowercase

from benchmarks.trl_runs.tasks.task import Difficulty, Problem, Task, exact, share_in_place

_COUNTS: dict[Difficulty, tuple[int, int]] = {"easy": (1, 2), "usual": (9, 18), "hard": (19, 24)}
_STEPS: dict[Difficulty, tuple[int, int]] = {"easy": (1, 1), "usual": (1, 3), "hard": (7, 11)}


def _draw(rng: random.Random, difficulty: Difficulty) -> Problem:
    start, count, step = rng.randrange(26), rng.randint(*_COUNTS[difficulty]), rng.randint(*_STEPS[difficulty])
    row = [ascii_lowercase[(start + step * place) % 26] for place in range(count + 1)]
    return Problem(f"{row[0]} and on, {count} by {step}: ", " ".join(row[:-1]), " ".join(row))


def letters_in_place(problem: Problem, completion: str) -> float:
    """The share of letters in their place."""
    return share_in_place(problem.answer.split(), completion.split())


def only_letters(problem: Problem, completion: str) -> float:
    """1 for single letters, whichever they are."""
    parts = completion.split()
    return float(bool(parts) and all(part in ascii_lowercase and len(part) == 1 for part in parts))


TASK = Task("letters", _draw, exact, {"letters_in_place": letters_in_place}, only_letters)
