"""Tests of smp-score-gain-by-length."""

from diagnostics.model.outcome import Severity, Verdict


def rows(shortest: int, bonus: float = 0.0, slope: float = 0.02) -> list[dict[str, object]]:
    """Scores that grow with the length, from `shortest` to `shortest` + 23 tokens, and a bonus for all."""
    lengths = [shortest + place % 24 for place in range(48)]
    return [
        {"response": f"a{n}", "length": tokens, "score": slope * tokens + bonus} for n, tokens in enumerate(lengths)
    ]


def test_a_gain_that_vanishes_at_equal_length_is_noted(look) -> None:
    assert look("smp-score-gain-by-length", rows(20), rows(10)).severity is Severity.INFO


def test_a_gain_at_every_length_is_none(look) -> None:
    assert look("smp-score-gain-by-length", rows(20, bonus=1.0), rows(10)).severity is None


def test_answers_that_did_not_grow_are_none(look) -> None:
    assert look("smp-score-gain-by-length", rows(10, bonus=1.0), rows(10)).severity is None


def test_no_gain_is_none(look) -> None:
    assert look("smp-score-gain-by-length", rows(20, slope=0.001), rows(10, slope=0.001, bonus=1)).severity is None


def test_without_first_tables_it_is_skipped(look) -> None:
    assert look("smp-score-gain-by-length", rows(20)).verdict is Verdict.SKIPPED
