"""Translation with a toy dictionary, in another word order: paid and judged word by word."""

import random

from benchmarks.trl_runs.tasks.task import Difficulty, Problem, Task, share_in_place

_NOUNS = {
    "dog": "dok",
    "cat": "mis",
    "house": "bau",
    "tree": "ebo",
    "boat": "nave",
    "bird": "pilu",
    "stone": "gor",
    "fish": "sisk",
    "king": "rego",
    "moon": "lun",
    "road": "via",
    "bell": "ton",
}
_QUALITIES = {"red": "ruda", "old": "veta", "big": "mago", "sad": "tris", "new": "novi", "wild": "sela"}
_NUMBERS = {"one": "un", "two": "dos", "three": "tir", "four": "kat"}
_PHRASES: dict[Difficulty, int] = {"easy": 0, "usual": 2, "hard": 6}


def _draw(rng: random.Random, difficulty: Difficulty) -> Problem:
    if difficulty == "easy":
        noun = rng.choice(list(_NOUNS))
        return Problem(f"{noun} = ", _NOUNS[noun], noun)
    asked, answered, slipped = [], [], []
    for _ in range(_PHRASES[difficulty]):
        number, quality, noun = (rng.choice(list(words)) for words in (_NUMBERS, _QUALITIES, _NOUNS))
        asked.append(f"{number} {quality} {noun}")
        answered += [_NOUNS[noun], _QUALITIES[quality], _NUMBERS[number]]
        slipped += [_NUMBERS[number], _QUALITIES[quality], _NOUNS[noun]]
    return Problem(f"{' '.join(asked)} = ", " ".join(answered), " ".join(slipped))


def words_in_place(problem: Problem, completion: str) -> float:
    """The share of words in their place."""
    return share_in_place(problem.answer.split(), completion.split())


def known_words(problem: Problem, completion: str) -> float:
    """The share of words that are words of the language."""
    words, known = completion.split(), {*_NOUNS.values(), *_QUALITIES.values(), *_NUMBERS.values()}
    return sum(word in known for word in words) / len(words) if words else 0.0


TASK = Task("translation", _draw, words_in_place, {"words_in_place": words_in_place}, known_words)
