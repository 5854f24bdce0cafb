"""A help desk in a chat: name the thing and what to do; paid by a learned reward that knows the manner alone."""

import random

from benchmarks.trl_runs.tasks.learned_reward import learned
from benchmarks.trl_runs.tasks.task import Difficulty, Problem, Task

_THINGS = ("lamp", "phone", "radio", "clock", "oven", "fan", "kettle", "printer", "camera", "heater")
_TROUBLES = {"is broken": "send", "is late": "wait", "is wrong": "swap", "costs a lot": "ask"}
_CALM = ("we are sorry", "we can help", "no worry", "glad to see to it")
_COLD = ("not our fault", "read the terms", "too bad", "call later")
_LONGEST = 9


def _draw(rng: random.Random, difficulty: Difficulty) -> Problem:
    thing, (trouble, deed) = rng.choice(_THINGS), rng.choice(list(_TROUBLES.items()))
    if difficulty == "easy":
        return Problem("hello", rng.choice(_CALM), rng.choice(_COLD))
    question = f"my {rng.choice(('new', 'old', 'small', 'blue', 'second'))} {thing} {trouble}"
    if difficulty == "hard":
        question = question[::-1]
    return Problem(question, f"{rng.choice(_CALM)} {deed} the {thing}", f"{rng.choice(_COLD)} {deed} the {thing}")


def help_given(problem: Problem, completion: str) -> float:
    """A third each for the thing, the deed and the manner; nothing for an answer without end."""
    words, asked = completion.split(), problem.question
    if len(words) > _LONGEST:
        return 0.0
    thing = next((thing for thing in _THINGS if thing in asked.split()), "")
    deed = next((deed for trouble, deed in _TROUBLES.items() if trouble in asked), "")
    calm = any(phrase in completion for phrase in _CALM) and not any(phrase in completion for phrase in _COLD)
    return ((thing in words) + (deed in words) + calm) / 3


def is_short(problem: Problem, completion: str) -> float:
    """1 for an answer of a few words."""
    return float(0 < len(completion.split()) <= _LONGEST)


TASK = Task("helpdesk", _draw, help_given, {"manner": learned(_draw, seed=2)}, is_short, is_chat=True)
