"""Tests of smp-group-duplicates."""

from typing import Any

from diagnostics.model.outcome import Severity, Verdict

LONG = "the film moves most of us quite often and it never bores a patient viewer who waits for the end"


def groups(equal: int, size: int = 4, text: str = LONG) -> list[dict[str, Any]]:
    """Twelve groups of four; in the first `equal` of them all answers are the same."""
    return [
        {"query": f"prompt {place // size}", "group": place // size, "response": _answer(place, size, equal, text)}
        for place in range(48)
    ]


def _answer(place: int, size: int, equal: int, text: str) -> str:
    if place // size < equal:
        return f"{place // size} {text}"
    return " ".join(f"w{place}x{number}" for number in range(21))


def test_half_of_the_pairs_are_a_warning_and_nine_in_ten_are_critical(look) -> None:
    severities = [look("smp-group-duplicates", groups(equal)[::-1], algorithm="grpo").severity for equal in (5, 6, 11)]
    assert severities == [None, Severity.WARNING, Severity.CRITICAL]


def test_short_constant_answers_are_not_judged(look) -> None:
    outcome = look("smp-group-duplicates", groups(12, text="(2+2=4 1+5=6)64"), algorithm="grpo")
    assert outcome.verdict is Verdict.SKIPPED


def test_answers_without_groups_are_skipped(look, sound) -> None:
    assert look("smp-group-duplicates", sound(), algorithm="grpo").verdict is Verdict.SKIPPED
