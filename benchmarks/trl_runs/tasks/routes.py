"""Routes: steps on a grid to a place, where many answers are right; paid for how near they end and for no detour."""

import random

from benchmarks.trl_runs.tasks.task import Difficulty, Problem, Task

_STEPS = {"E": (1, 0), "W": (-1, 0), "N": (0, 1), "S": (0, -1)}
_DISTANCES: dict[Difficulty, tuple[int, int]] = {"easy": (1, 1), "usual": (1, 6), "hard": (20, 25)}


def _draw(rng: random.Random, difficulty: Difficulty) -> Problem:
    across, along = rng.randint(*_DISTANCES[difficulty]), rng.randint(*_DISTANCES[difficulty])
    one, other = rng.choice("EW"), rng.choice("NS")
    question = f"go {across} {one} {along} {other}: "
    return Problem(question, across * one + along * other, across * one + (along + 1) * other)


def ends_near(problem: Problem, completion: str) -> float:
    """1 for a route to the place, less the further off it ends; 0 from as far off as the start."""
    (x, y), (right_x, right_y) = _end(completion), _end(problem.answer)
    return max(0.0, 1 - (abs(x - right_x) + abs(y - right_y)) / len(problem.answer))


def is_short(problem: Problem, completion: str) -> float:
    """1 for a route of no more steps than the shortest."""
    return float(bool(_steps(completion)) and len(_steps(completion)) <= len(problem.answer))


def arrives(problem: Problem, completion: str) -> float:
    """1 for a route that ends at the place, however it goes."""
    return float(ends_near(problem, completion) == 1)


def only_steps(problem: Problem, completion: str) -> float:
    """1 for steps alone, wherever they lead."""
    return float(bool(_steps(completion)))


def _end(route: str) -> tuple[int, int]:
    steps = [_STEPS[step] for step in _steps(route)]
    return sum(x for x, _ in steps), sum(y for _, y in steps)


def _steps(text: str) -> str:
    """The steps of a completion; none if anything else is in it."""
    route = text.strip()
    return route if set(route) <= set(_STEPS) else ""


TASK = Task("routes", _draw, arrives, {"ends_near": ends_near, "is_short": is_short}, only_steps)
