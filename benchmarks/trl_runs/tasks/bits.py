"""Bits: a row of noughts and ones with each of them flipped; paid for each that is right, and for the right length."""

import random

from benchmarks.trl_runs.tasks.task import Difficulty, Problem, Task, exact

_LENGTHS: dict[Difficulty, tuple[int, int]] = {"easy": (1, 1), "usual": (2, 6), "hard": (24, 32)}
_FLIPPED = str.maketrans("01", "10")


def _draw(rng: random.Random, difficulty: Difficulty) -> Problem:
    row = "".join(rng.choices("01", k=rng.randint(*_LENGTHS[difficulty])))
    return Problem(f"flip {row}: ", row.translate(_FLIPPED), row)


def bits_right(problem: Problem, completion: str) -> float:
    """The share of places that hold the right bit; those of the longer row count."""
    row = _row(completion)
    return sum(map(str.__eq__, row, problem.answer)) / max(len(row), len(problem.answer))


def right_length(problem: Problem, completion: str) -> float:
    """1 for as many bits as were asked for."""
    return float(len(_row(completion)) == len(problem.answer))


def only_bits(problem: Problem, completion: str) -> float:
    """1 for a row of noughts and ones, whichever it is."""
    return float(bool(_row(completion)))


def _row(completion: str) -> str:
    """The row that a completion is; nothing if it is anything else."""
    row = completion.strip()
    return row if set(row) <= set("01") else ""


TASK = Task(
    "bits",
    _draw,
    exact,
    {"bits_right": bits_right, "right_length": right_length},
    only_bits,
)
