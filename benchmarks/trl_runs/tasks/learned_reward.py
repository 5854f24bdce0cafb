"""A learned reward: the probability that a text is a good one, by logistic regression on its words."""

import math
import random
from collections.abc import Mapping, Sequence
from functools import cache

from benchmarks.trl_runs.tasks.task import Draw, Problem, Score

_EPOCHS = 60
_RATE = 0.3
_DECAY = 0.01
_PAIRS = 60


def learned(draw: Draw, seed: int) -> Score:
    """A reward fitted, when first asked, to tell the answers of drawn problems from their slips."""

    @cache
    def weights() -> Mapping[str, float]:
        rng = random.Random(seed)
        pairs = [draw(rng, "usual") for _ in range(_PAIRS)]
        return fit([pair.answer for pair in pairs], [pair.slip for pair in pairs])

    def reward(problem: Problem, completion: str) -> float:
        return probability(weights(), completion)

    return reward


def fit(good: Sequence[str], bad: Sequence[str]) -> Mapping[str, float]:
    """The weight of each word, by gradient descent with weight decay; the same texts give the same weights."""
    weights = dict.fromkeys(sorted({word for text in (*good, *bad) for word in text.split()}), 0.0)
    for _ in range(_EPOCHS):
        for text, label in [*((text, 1.0) for text in good), *((text, 0.0) for text in bad)]:
            error = label - probability(weights, text)
            for word in dict.fromkeys(text.split()):
                weights[word] += _RATE * error - _DECAY * weights[word]
    return weights


def probability(weights: Mapping[str, float], text: str) -> float:
    """The probability that a text is a good one."""
    total = sum(weights.get(word, 0.0) for word in dict.fromkeys(text.split()))
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, total))))
