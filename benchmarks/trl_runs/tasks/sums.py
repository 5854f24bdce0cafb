"""Sums: running totals and then the result, as answers that reason first; paid for both, judged by the result alone."""

import random
from itertools import accumulate

from benchmarks.trl_runs.tasks.task import Difficulty, Problem, Task, share_in_place

_ADDENDS: dict[Difficulty, tuple[int, int]] = {"easy": (2, 2), "usual": (3, 5), "hard": (9, 12)}
_LARGEST = 5


def _draw(rng: random.Random, difficulty: Difficulty) -> Problem:
    addends = [rng.randint(1, _LARGEST) for _ in range(rng.randint(*_ADDENDS[difficulty]))]
    totals = list(accumulate(addends))
    working = " ".join(map(str, totals))
    return Problem(f"{' + '.join(map(str, addends))}: ", f"{working} = {totals[-1]}", f"{working} = {addends[-1]}")


def result_right(problem: Problem, completion: str) -> float:
    """1 for the right result, however it was worked out."""
    return float(_parts(completion)[1] == _parts(problem.answer)[1])


def totals_in_place(problem: Problem, completion: str) -> float:
    """The share of running totals in their place, whatever follows from them."""
    return share_in_place(_parts(problem.answer)[0], _parts(completion)[0])


def has_result(problem: Problem, completion: str) -> float:
    """1 for one number as the result, whichever it is."""
    result = _parts(completion)[1]
    return float(len(result) == 1 and result[0].isdecimal())


def _parts(text: str) -> tuple[list[str], list[str]]:
    """The words before and after the first sign of equality."""
    working, _, result = text.partition("=")
    return working.split(), result.split()


TASK = Task("sums", _draw, result_right, {"result_right": result_right, "totals_in_place": totals_in_place}, has_result)
