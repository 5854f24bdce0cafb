"""The learned reward of the remarks task: a logistic bag-of-words classifier of positive remarks."""

import math
import re
from collections.abc import Mapping, Sequence

import numpy as np

NEWTON_STEPS = 8
RIDGE = 3.0
"""Penalty on squared weights, in sentences: what keeps a word seen twice from getting an extreme weight."""

_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")


def unique_words(text: str) -> frozenset[str]:
    """The distinct words of a text in lower case; punctuation does not count."""
    return frozenset(_WORD.findall(text.lower()))


def log_odds(text: str, weights: Mapping[str, float]) -> float:
    """Sum of the weights of the text's distinct words; words without a weight count as neutral."""
    return sum(weights.get(word, 0.0) for word in sorted(unique_words(text)))


def score(text: str, weights: Mapping[str, float]) -> float:
    """Probability in 0 … 1 that the text is positive; 0.5 for a text without known words."""
    return 0.5 * (1.0 + math.tanh(log_odds(text, weights) / 2))


def fit(texts: Sequence[str], is_positive: Sequence[bool], words: Sequence[str]) -> dict[str, float]:
    """Ridge-penalised logistic regression by Newton's method, without intercept, with equal class weights.

    Args:
        texts: B texts; is_positive: their B labels; words: the W words that get a weight.

    Returns:
        Log-odds per word, rounded to three decimals.
    """
    features_BW = _bags(texts, words)
    labels_B = np.asarray(is_positive, dtype=np.float32)
    share = float(labels_B.mean())
    balance_B = np.where(labels_B == 1, 0.5 / share, 0.5 / (1 - share)).astype(np.float32)
    weights_W = np.zeros(len(words), dtype=np.float32)
    for _ in range(NEWTON_STEPS):
        probabilities_B = 0.5 * (1 + np.tanh(features_BW @ weights_W / 2))
        gradient_W = features_BW.T @ (balance_B * (labels_B - probabilities_B)) - RIDGE * weights_W
        curvature_B = balance_B * probabilities_B * (1 - probabilities_B)
        hessian_WW = features_BW.T @ (curvature_B[:, None] * features_BW) + RIDGE * np.eye(len(words), dtype=np.float32)
        weights_W += np.linalg.solve(hessian_WW, gradient_W)
    return {word: round(float(weight), 3) for word, weight in zip(words, weights_W, strict=True)}


def _bags(texts: Sequence[str], words: Sequence[str]) -> np.ndarray:
    column = {word: index for index, word in enumerate(words)}
    features_BW = np.zeros((len(texts), len(words)), dtype=np.float32)
    for row, text in enumerate(texts):
        for word in unique_words(text):
            if word in column:
                features_BW[row, column[word]] = 1.0
    return features_BW
