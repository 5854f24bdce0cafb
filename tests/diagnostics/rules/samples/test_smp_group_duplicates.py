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


def records(prompts: int, scores: tuple[float, float]) -> list[dict[str, Any]]:
    """Twelve groups of four that repeat one record in JSON, of so many different prompts; `scores` are those of the
    repeated answer and of the best."""
    repeated, best = scores
    rows = []
    for place in range(48):
        prompt = place // 4 % prompts
        fields = ", ".join(f'"field{number}": {number + prompt}' for number in range(9))
        is_other = place % 4 == 3
        rows.append(
            {
                "query": f"prompt {place // 4}",
                "group": place // 4,
                "response": "{" + fields + (', "note": "x"}' if is_other else "}"),
                "score": best if is_other and place < 4 else repeated,
            }
        )
    return rows


def test_one_right_form_of_each_answer_is_no_disease(look) -> None:
    assert look("smp-group-duplicates", records(12, (1.0, 1.0)), algorithm="grpo").verdict is Verdict.QUIET


def test_copies_that_score_less_than_another_answer_are(look) -> None:
    assert look("smp-group-duplicates", records(12, (0.4, 1.0)), algorithm="grpo").severity is Severity.WARNING
    assert look("smp-group-duplicates", records(12, (0.0, 0.0)), algorithm="grpo").severity is Severity.WARNING


def test_one_answer_to_all_prompts_is_a_collapse_whatever_it_scores(look) -> None:
    assert look("smp-group-duplicates", records(2, (1.0, 1.0)), algorithm="grpo").severity is Severity.WARNING
