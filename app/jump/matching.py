"""How well a target fits what was typed: each word exactly, at a start, inside, or as letters in their order."""

import heapq
from collections.abc import Iterable, Sequence
from enum import IntEnum

from app.jump.targets import CHART, ENTRY, PAGE, RUN, Target

MOST_HITS = 20
LONGEST_QUERY = 100  # characters
_ORDER = (PAGE, CHART, RUN, ENTRY)
"""Which of equally good ones comes first: what is nearer."""

_BREAKS = str.maketrans(dict.fromkeys("-_/.: ()", " "))


class Fit(IntEnum):
    """How well one word fits, the best first."""

    IS_NAME = 0
    STARTS_NAME = 1
    STARTS_WORD = 2
    INSIDE_NAME = 3
    INSIDE_ABOUT = 4
    LETTERS_IN_ORDER = 5


def best(query: str, targets: Iterable[Target]) -> list[Target]:
    """The best fitting targets, at most MOST_HITS; what is nearer, then the shorter name decides between equals."""
    words = query[:LONGEST_QUERY].lower().split()
    ranked = (
        (rank, place, target) for place, target in enumerate(targets) if (rank := _rank(words, target)) is not None
    )
    return [target for *_, target in heapq.nsmallest(MOST_HITS, ranked, key=lambda item: item[:2])]


def _rank(words: Sequence[str], target: Target) -> tuple[int, ...] | None:
    """The worst fit of a word, the sum of all, how far, how long; None where a word does not fit at all."""
    name, about = target.name.lower(), target.about.lower()
    fits = [_fit(word, name, about) for word in words]
    if not words or None in fits:
        return None
    found = [fit for fit in fits if fit is not None]
    return max(found), sum(found), _ORDER.index(target.way), len(name)


def _fit(word: str, name: str, about: str) -> Fit | None:
    if name == word:
        return Fit.IS_NAME
    if name.startswith(word):
        return Fit.STARTS_NAME
    if any(part.startswith(word) for part in name.translate(_BREAKS).split()):
        return Fit.STARTS_WORD
    if word in name:
        return Fit.INSIDE_NAME
    if word in about:
        return Fit.INSIDE_ABOUT
    letters = iter(name)
    return Fit.LETTERS_IN_ORDER if all(letter in letters for letter in word) else None
