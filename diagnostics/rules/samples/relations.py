"""Measures over several samples: rank correlation, similarity of texts, and how much of the score a grouping
explains."""

import itertools
from collections.abc import Hashable, Sequence

import numpy as np

from diagnostics.model.series import Values
from diagnostics.rules.samples.text_measures import ngrams

MOST_PAIRS = 2000  # of texts that are compared: the first ones, in the order of the table


def spearman(first: Values, second: Values) -> float:
    """The rank correlation of (N,) and (N,); 0 where one of them does not vary."""
    ranks = _ranks(first), _ranks(second)
    if ranks[0].std() == 0 or ranks[1].std() == 0:
        return 0.0
    return float(np.corrcoef(*ranks)[0, 1])


def spearman_within(groups: Sequence[tuple[Values, Values]]) -> float:
    """The rank correlation of (N,) and (N,) within each of several groups, pooled; 0 without any spread.

    Ranks are taken within a group, so differences between groups do not count.
    """
    centred = [tuple(_ranks(values) - (len(values) - 1) / 2 for values in pair) for pair in groups]
    products, first, second = (
        sum(float(pair[one] @ pair[other]) for pair in centred) for one, other in ((0, 1), (0, 0), (1, 1))
    )
    return products / float(np.sqrt(first * second)) if first > 0 and second > 0 else 0.0


def mean_similarity(pairs: Sequence[tuple[str, str]]) -> float:
    """Mean Jaccard index of the 3-grams of two texts; 0 without pairs."""
    found = [_jaccard(one, other) for one, other in pairs[:MOST_PAIRS]]
    return float(np.mean(found)) if found else 0.0


def explained_by(keys: Sequence[Hashable], values: Values) -> float:
    """The share of the values' (N,) variance that lies between groups of equal keys, corrected for chance.

    The intraclass correlation of a one-way analysis of variance: 0 where groups differ no more than by chance, 1 where
    the members of each group are equal. Negative values count as 0.
    """
    groups: dict[Hashable, list[float]] = {}
    for key, value in zip(keys, values, strict=True):
        groups.setdefault(key, []).append(float(value))
    total, count = len(values), len(groups)
    if count < 2 or total <= count:
        return 0.0
    within = sum(float(np.var(group)) * len(group) for group in groups.values()) / (total - count)
    between = (float(np.var(values)) * total - within * (total - count)) / (count - 1)
    size = (total - sum(len(group) ** 2 for group in groups.values()) / total) / (count - 1)
    spread = between + (size - 1) * within
    return max(0.0, (between - within) / spread) if spread > 0 else 0.0


def pairs_of(texts: Sequence[str]) -> list[tuple[str, str]]:
    """Every pair of texts, once."""
    return list(itertools.combinations(texts, 2))


def _jaccard(one: str, other: str) -> float:
    first, second = ngrams(one), ngrams(other)
    together = first | second
    return len(first & second) / len(together) if together else 0.0


def _ranks(values: Values) -> Values:
    """Ranks from 0; equal values share the mean of theirs."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    means: Values = (ends - counts + ends - 1) / 2
    return means[inverse]
