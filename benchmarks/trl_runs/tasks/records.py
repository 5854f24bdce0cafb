"""Records: a line of facts as JSON, where a right answer has but one form; paid for the form and for the content."""

import json
import random
from typing import Any

from benchmarks.trl_runs.tasks.task import Difficulty, Problem, Task

_WORDS = {
    "name": ("ann", "bob", "eva", "tom", "lea", "max"),
    "town": ("rome", "oslo", "bern", "kyiv", "lima"),
    "pet": ("cat", "dog", "hen", "fox"),
}
_AMOUNTS = ("age", "size", "rank")
_FIELDS: dict[Difficulty, int] = {"easy": 1, "usual": 2, "hard": 6}


def _draw(rng: random.Random, difficulty: Difficulty) -> Problem:
    count = _FIELDS[difficulty]
    amounts = rng.sample(_AMOUNTS, (count + 1) // 2)
    names = [*amounts, *rng.sample(list(_WORDS), count - len(amounts))]
    rng.shuffle(names)
    facts = {name: rng.choice(_WORDS[name]) if name in _WORDS else rng.randint(10, 99) for name in names}
    said = ", ".join(f"{name} {value}" for name, value in facts.items())
    quoted = {name: str(value) for name, value in facts.items()}
    return Problem(f"{said} = ", json.dumps(facts), json.dumps(quoted))


def fields_right(problem: Problem, completion: str) -> float:
    """The share of fields with the right value, of the right type."""
    right, given = json.loads(problem.answer), _record(completion)
    names = right.keys() | given.keys()
    return sum(name in right and name in given and right[name] == given[name] for name in names) / len(names)


def is_json(problem: Problem, completion: str) -> float:
    """1 for a JSON object with fields, right or wrong."""
    return float(bool(_record(completion)))


def _record(completion: str) -> dict[str, Any]:
    """The object that a completion holds; an empty one if it holds none."""
    try:
        found = json.loads(completion)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


TASK = Task("records", _draw, fields_right, {"fields_right": fields_right, "is_json": is_json}, is_json)
