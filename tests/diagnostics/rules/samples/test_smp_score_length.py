"""Tests of smp-score-length."""

import pytest

from diagnostics.model.outcome import Severity, Verdict


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


def test_prompts_that_want_long_answers_and_earn_much_say_nothing_about_length(look) -> None:
    def grouped(length: int) -> list[dict[str, object]]:
        found = rows(48, length=length)
        for place, row in enumerate(found):
            group, turn = divmod(place, 8)  # within a prompt the scores do not depend on the length
            row |= {"group": group, "score": group + turn * 3 % 8 / 8}
        return found

    assert look("smp-score-length", grouped(60), grouped(10)).severity is None
    alone = [{**row, "group": None, "query": f"q{place}"} for place, row in enumerate(grouped(60))]
    assert look("smp-score-length", alone, grouped(10)).severity is not None


def test_within_prompts_a_score_that_is_the_length_is_found(look) -> None:
    found = [{**row, "group": place // 8} for place, row in enumerate(rows(48, length=60))]
    assert look("smp-score-length", found, rows(0)).severity is Severity.WARNING


@pytest.mark.parametrize("score", [0.0, 1.0])
def test_rights_and_wrongs_are_not_judged(look, score: float) -> None:
    pairs = [row | {"score": score if place % 2 else 1 - score} for place, row in enumerate(rows(48))]
    assert look("smp-score-length", pairs, pairs).verdict is Verdict.SKIPPED


def test_samples_without_scores_are_skipped(look) -> None:
    unscored = [row | {"score": None} for row in rows(0)]
    assert look("smp-score-length", unscored, unscored).verdict is Verdict.SKIPPED


def test_answers_to_a_prompt_that_all_score_the_same_say_nothing_about_length(look) -> None:
    def grouped(scored_apart: int) -> list[dict[str, object]]:
        """Groups of eight, of which so many follow the length and the others are solved."""
        return [
            row | {"group": place // 8, "score": row["score"] if place // 8 < scored_apart else 1.0}
            for place, row in enumerate(rows(48, length=60))
        ]

    start = [row | {"group": place // 8} for place, row in enumerate(rows(0))]
    assert look("smp-score-length", grouped(6), start).severity is Severity.WARNING
    assert look("smp-score-length", grouped(2), start).verdict is Verdict.SKIPPED


def test_a_score_that_was_the_length_from_the_start_is_a_note(look) -> None:
    outcome = look("smp-score-length", rows(48, length=60), rows(48))
    assert (outcome.severity, outcome.limit) == (Severity.INFO, 0.9)
