"""Tests of smp-score-inconsistent."""

from diagnostics.model.outcome import Severity, Verdict


def repeated_answers(different: int, **fields: object) -> list[dict[str, object]]:
    """Twelve answers that occur twice in a step; in so many pairs the second one scores differently."""
    rows = [{"query": f"q{place}", "response": "the same", "score": 0.1 * (place % 7)} for place in range(24)]
    pairs = [[row, row | ({"score": 0.9, **fields} if place < different else {})] for place, row in enumerate(rows)]
    return [row for pair in pairs for row in pair]


def test_a_fifth_of_the_pairs_is_a_warning(look) -> None:
    assert look("smp-score-inconsistent", repeated_answers(5)).severity is Severity.WARNING
    assert look("smp-score-inconsistent", repeated_answers(4)[::-1]).severity is None


def test_an_answer_that_was_cut_off_may_score_differently(look) -> None:
    assert look("smp-score-inconsistent", repeated_answers(20, terminated=False)).severity is None


def test_the_same_answer_to_another_query_is_another(look, sound) -> None:
    rows = [row | {"response": "yes"} for row in sound()]
    assert look("smp-score-inconsistent", rows).verdict is Verdict.SKIPPED


def test_the_same_answer_in_another_step_is_the_same_answer_unless_scores_are_normalised(look) -> None:
    first = [{"query": f"q{place % 16}", "response": "the same", "score": 0.1 * (place % 16)} for place in range(48)]
    torn = [row | {"score": 0.9 - row["score"]} if place >= 16 else row for place, row in enumerate(first)]
    assert look("smp-score-inconsistent", first).severity is None
    assert look("smp-score-inconsistent", torn).severity is Severity.WARNING
    assert look("smp-score-inconsistent", torn, config={"use_score_norm": True}).verdict is Verdict.SKIPPED


def test_one_pair_that_scores_differently_among_few_shows_neither(look, sound) -> None:
    torn = [{"query": "q", "response": "the same", "score": score} for score in (0.1, 0.9)]
    outcome = look("smp-score-inconsistent", [*sound(), *torn])
    assert (outcome.verdict, outcome.severity) == (Verdict.SKIPPED, None)
    same = [{"query": f"r{place}", "response": "the same", "score": 0.5} for place in range(5) for _ in range(2)]
    assert look("smp-score-inconsistent", [*sound(), *torn, *same]).verdict is Verdict.QUIET
