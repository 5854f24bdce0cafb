"""Bags of words (TF-IDF): which prompt an answer belongs to, and how well the words of a prompt predict its score."""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from diagnostics.model.series import Values
from diagnostics.rules.samples.text_measures import words

FOLDS = 5  # parts of the texts, each predicted from the others
STIFFNESS = 0.3  # of the ridge, per text of unit length: texts that share a word share a little of their value
KEPT = 8  # cached predictions: each evaluation of a run asks for the same ones


def own_prompt_found(prompts: Sequence[str], answers: Sequence[str]) -> float:
    """The share of N answers whose words match their own prompt best of these N; a tie of k counts 1 / k."""
    rarity = _word_rarity(prompts)
    alike = _word_vectors(answers, rarity) @ _word_vectors(prompts, rarity).T
    is_best = alike >= alike.max(axis=1, keepdims=True) - np.finfo(float).eps
    return float(np.mean(is_best.diagonal() / is_best.sum(axis=1)))


def predictable_share(texts: Sequence[str], values: Values) -> float:
    """How much of the variance of the values (N,) the texts' words and lengths predict in held-out texts.

    Ridge regression of N texts, all different, on TF-IDF and the logarithm of the length, in five folds: 1 is all of
    it, and a prediction worse than the mean counts as 0.
    """
    return _predicted(tuple(texts), tuple(values.tolist()))


@lru_cache(KEPT)
def _predicted(texts: tuple[str, ...], values: tuple[float, ...]) -> float:
    kernel, known = _kernel(texts), np.array(values)
    total = float(((known - known.mean()) ** 2).sum())
    if total == 0:
        return 0.0
    folds = np.arange(len(texts)) % FOLDS
    missed = sum(_squared_error(kernel, known, folds == fold) for fold in range(FOLDS))
    return max(0.0, 1 - missed / total)


def _squared_error(kernel: Values, values: Values, is_left_out: npt.NDArray[np.bool_]) -> float:
    """The squared error of held-out texts, predicted from the others."""
    learned = ~is_left_out
    mean = values[learned].mean()
    stiff = kernel[np.ix_(learned, learned)] + STIFFNESS * np.eye(int(learned.sum()))
    told = kernel[np.ix_(is_left_out, learned)] @ np.linalg.solve(stiff, values[learned] - mean)
    return float(((values[is_left_out] - mean - told) ** 2).sum())


def _kernel(texts: Sequence[str]) -> Values:
    """(N, N) The similarity of the texts in words and in length."""
    bags = _word_vectors(texts, _word_rarity(texts))
    lengths = np.log1p([float(len(words(text))) for text in texts])
    spread = lengths.std()
    standard = (lengths - lengths.mean()) / spread if spread > 0 else np.zeros(len(texts))
    return np.asarray(bags @ bags.T + np.outer(standard, standard))


def _word_rarity(texts: Sequence[str]) -> dict[str, float]:
    """How rare each word of the texts is: ln((1 + N) / (1 + texts that have it))."""
    counts = Counter(word for text in texts for word in set(words(text)))
    return {word: float(np.log((1 + len(texts)) / (1 + count))) for word, count in counts.items()}


def _word_vectors(texts: Sequence[str], rarity: dict[str, float]) -> Values:
    """(N, W) Each text's words by frequency and rarity, normalised to length 1; 0 for a text without any of them."""
    places = {word: place for place, word in enumerate(rarity)}
    bags = np.zeros((len(texts), len(places)))
    for row, text in zip(bags, texts, strict=True):
        for word, count in Counter(words(text)).items():
            if word in places:
                row[places[word]] = count * rarity[word]
    sizes = np.linalg.norm(bags, axis=1, keepdims=True)
    return np.asarray(bags / np.where(sizes > 0, sizes, 1.0))
