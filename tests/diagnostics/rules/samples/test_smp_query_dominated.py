"""Tests of smp-query-dominated."""

from diagnostics.model.outcome import Severity, Verdict


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


def noisy_pairs(queries: int) -> list[dict[str, object]]:
    """Two answers to each query, whose scores go together by nine tenths."""
    return [
        {"query": f"q{place // 2}", "response": f"answer {place}", "score": (place // 2) % 5 + (place % 2) * 0.6}
        for place in range(2 * queries)
    ]


def test_nine_tenths_of_a_few_queries_may_be_chance(look) -> None:
    few, many = (look("smp-query-dominated", noisy_pairs(count), noisy_pairs(count)) for count in (10, 80))
    assert (few.severity, many.severity) == (None, Severity.WARNING)
    assert few.measured > 0.8


TOPICS = ["harbour", "violin", "glacier", "bakery", "orchard", "comet", "library", "saddle"]


def single_queries(topic_share: float, count: int = 96, start: int = 0) -> list[dict[str, object]]:
    """Queries that never come again; the topic decides this share of the score's spread, the answer the rest."""
    return [
        {
            "query": f"tell me number {start + place} about the {TOPICS[place % 8]}",
            "response": f"answer {place}",
            "score": topic_share * (place % 8) + (1 - topic_share) * (place * 37 % 97) / 12,
        }
        for place in range(count)
    ]


def test_a_score_that_the_querys_words_predict_is_a_warning(look) -> None:
    outcome = look("smp-query-dominated", single_queries(1.0), single_queries(1.0, start=500))
    assert (outcome.severity, outcome.message.template) == (Severity.WARNING, "smp-query-dominated.predicted")
    assert outcome.measured > 0.8


def test_a_score_half_of_the_answer_is_none(look) -> None:
    assert look("smp-query-dominated", single_queries(0.5), single_queries(0.5, start=500)).severity is None


def test_only_the_end_predicted_is_a_policy_that_stopped_to_vary(look) -> None:
    assert look("smp-query-dominated", single_queries(1.0), single_queries(0.0, start=500)).severity is None


def test_sixty_three_queries_are_too_few_to_predict(look) -> None:
    assert look("smp-query-dominated", single_queries(1.0, 63)).verdict is Verdict.SKIPPED
    assert look("smp-query-dominated", single_queries(1.0, 64)).severity is Severity.WARNING


def test_rights_and_wrongs_of_single_queries_are_not_judged(look) -> None:
    graded = [row | {"score": float(place % 8 < 4)} for place, row in enumerate(single_queries(1.0))]
    assert look("smp-query-dominated", graded, graded).verdict is Verdict.SKIPPED
