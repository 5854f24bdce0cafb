"""Tests of smp-score-length."""

import pytest

from diagnostics.diagnosis import Severity, Verdict


def rows(follows: int, length: int = 10) -> list[dict[str, object]]:
    """Of 48 rows, the scores of the first `follows` are their length; the others know nothing of it."""
    scores = [place if place < follows else place * 29 % 48 for place in range(48)]
    return [
        {"response": f"answer {place}", "length": length + place, "score": score / 48}
        for place, score in enumerate(scores)
    ]


def test_a_score_that_is_the_length_of_growing_answers_is_a_warning(look) -> None:
    assert look("smp-score-length", rows(48, length=60), rows(0)).severity is Severity.WARNING


def test_without_growth_it_is_none(look) -> None:
    assert look("smp-score-length", rows(48), rows(0)).severity is None


def test_a_score_that_ignores_length_is_none(look) -> None:
    assert look("smp-score-length", rows(0, length=60), rows(0)).severity is None


@pytest.mark.parametrize("score", [0.0, 1.0])
def test_rights_and_wrongs_are_not_judged(look, score: float) -> None:
    pairs = [row | {"score": score if place % 2 else 1 - score} for place, row in enumerate(rows(48))]
    assert look("smp-score-length", pairs, pairs).verdict is Verdict.SKIPPED


def test_samples_without_scores_are_skipped(look) -> None:
    unscored = [row | {"score": None} for row in rows(0)]
    assert look("smp-score-length", unscored, unscored).verdict is Verdict.SKIPPED
