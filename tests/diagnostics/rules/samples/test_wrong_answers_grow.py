"""Tests of wrong-answers-grow, which reads samples though it judges a loss."""

from diagnostics.model.outcome import Severity, Verdict


def rows(wrong: int, right: int = 40, rights: int = 24) -> list[dict[str, object]]:
    return [
        {"response": f"a {place}", "score": float(place < rights), "length": right if place < rights else wrong}
        for place in range(48)
    ]


def test_half_as_long_again_is_noted(look) -> None:
    assert look("wrong-answers-grow", rows(60), rows(40), algorithm="grpo").severity is Severity.INFO
    assert look("wrong-answers-grow", rows(59), rows(40), algorithm="grpo").severity is None


def test_wrong_answers_that_are_still_shorter_are_none(look) -> None:
    assert look("wrong-answers-grow", rows(39), rows(10), algorithm="grpo").severity is None


def test_seven_wrong_answers_are_too_few(look) -> None:
    few = rows(90, rights=41)
    assert look("wrong-answers-grow", few, rows(40), algorithm="grpo").verdict is Verdict.SKIPPED


def test_graded_scores_do_not_say_what_is_wrong(look, sound) -> None:
    assert look("wrong-answers-grow", sound(), sound(), algorithm="grpo").verdict is Verdict.SKIPPED
