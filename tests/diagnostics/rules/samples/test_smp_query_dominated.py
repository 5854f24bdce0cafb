"""Tests of smp-query-dominated."""

from diagnostics.diagnosis import Severity, Verdict


def rows(answer_share: float, queries: int = 12) -> list[dict[str, object]]:
    """Scores of which the answer decides this share, and the query the rest."""
    return [
        {
            "query": f"q{place % queries}",
            "response": f"answer {place}",
            "score": (1 - answer_share) * (place % queries) + answer_share * (place * 5 % 11),
        }
        for place in range(48)
    ]


def test_a_score_of_the_query_is_a_warning_from_the_first_table_on(look) -> None:
    outcome = look("smp-query-dominated", rows(0.05), rows(0.05))
    assert (outcome.severity, outcome.first_step) == (Severity.WARNING, 1)


def test_a_score_of_the_answer_is_none(look) -> None:
    assert look("smp-query-dominated", rows(0.9), rows(0.9)).severity is None


def test_a_policy_that_stopped_to_vary_is_not_the_querys_fault(look) -> None:
    assert look("smp-query-dominated", rows(0.05), rows(0.9)).severity is None


def test_rights_and_wrongs_are_not_judged(look) -> None:
    graded = [row | {"score": float(place % 12 < 6)} for place, row in enumerate(rows(0.05))]
    assert look("smp-query-dominated", graded, graded).verdict is Verdict.SKIPPED


def test_seven_queries_with_two_answers_are_too_few(look) -> None:
    assert look("smp-query-dominated", rows(0.05, queries=7), rows(0.05, queries=7)).verdict is Verdict.SKIPPED
    assert look("smp-query-dominated", rows(0.05, queries=8), rows(0.05, queries=8)).severity is Severity.WARNING
