"""What rows of samples measure: their scores and their lengths."""

import math
from itertools import compress

import numpy as np

from diagnostics.model.series import Values
from diagnostics.rules.samples.shares import STANDARD_ERRORS
from diagnostics.rules.samples.tables import Row, Rows, View
from diagnostics.rules.samples.text_measures import units

MOST = 0.5  # of the rows


def scores_of(rows: Rows) -> Values:
    """(N,) The rows' scores, NaN where there is none."""
    return np.array([np.nan if row.sample.score is None else row.sample.score for row in rows], dtype=np.float64)


def with_scores(rows: Rows) -> Rows:
    """The rows whose score is a finite number."""
    return tuple(compress(rows, np.isfinite(scores_of(rows)).tolist()))


def lengths_of(rows: Rows) -> Values:
    """(N,) The rows' lengths: in tokens where all of them state it, else in words and marks."""
    tokens = [row.sample.length for row in rows]
    if all(count is not None for count in tokens):
        return np.array(tokens, dtype=np.float64)
    return np.array([len(units(row.sample.response)) for row in rows], dtype=np.float64)


def longest_first(rows: Rows) -> list[Row]:
    """The rows, the longest first."""
    return sorted(rows, key=lambda row: -len(row.sample.response))


def score_gain(seen: View) -> float | None:
    """How much the mean score rose since the first tables; None where chance explains it, or scores are missing."""
    now, before = scores_of(with_scores(seen.recent)), scores_of(with_scores(seen.first))
    if not len(now) or not len(before):
        return None
    error = math.sqrt(float(now.var()) / len(now) + float(before.var()) / len(before))
    gain = float(now.mean() - before.mean())
    return gain if gain > STANDARD_ERRORS * error else None


def is_graded(rows: Rows) -> bool:
    """Whether the scores take more than two values: a verifiable reward that pays all or nothing is not graded."""
    return _values_of(with_scores(rows)) > 2


def are_marks(rows: Rows, answers_per_mark: float) -> bool:
    """Whether this many different answers share a score, on average or where most rows have one: marks of a grader.

    A reward model gives different answers different scores. A grader pays some exactly alike, though it tells others
    apart: all right ones, or all wrong ones.
    """
    known = with_scores(rows)
    if len({row.sample.response for row in known}) >= answers_per_mark * _values_of(known):
        return True
    by_score: dict[float, list[str]] = {}
    for row, score in zip(known, np.round(scores_of(known), 6), strict=True):
        by_score.setdefault(float(score), []).append(row.sample.response)
    shared = [answers for answers in by_score.values() if len({*answers}) >= answers_per_mark]
    return sum(map(len, shared)) > MOST * len(known)


def _values_of(rows: Rows) -> int:
    """How many different scores the rows have, to rounding."""
    return len(np.unique(np.round(scores_of(rows), 6)))
