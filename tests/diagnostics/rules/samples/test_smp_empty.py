"""Tests of smp-empty."""

import pytest

from diagnostics.model.outcome import Severity, Verdict


@pytest.mark.parametrize(
    ("empty", "severity"), [(6, None), (7, Severity.WARNING), (23, Severity.WARNING), (24, Severity.CRITICAL)]
)
def test_a_proven_twentieth_is_a_warning_and_proven_three_tenths_are_critical(
    look, sound, mixed, empty: int, severity
) -> None:
    assert look("smp-empty", mixed(["  \n"] * empty), sound()).severity is severity


def test_special_tokens_are_no_answer(look, mixed, sound) -> None:
    assert look("smp-empty", mixed(["<|endoftext|>[PAD][PAD]"] * 24), sound()).severity is Severity.CRITICAL


def test_two_words_are_too_few_only_where_answers_were_long(look, sound, mixed) -> None:
    short = [row | {"response": "64"} for row in sound()]
    assert look("smp-empty", mixed(["so what"] * 24), sound()).severity is Severity.CRITICAL
    assert look("smp-empty", short, short).severity is None


def test_a_few_empty_answers_in_a_small_table_prove_nothing(look, sound) -> None:
    rows = [row | {"response": ""} if place in (2, 7, 11) else row for place, row in enumerate(sound(16))]
    assert look("smp-empty", rows, sound()).verdict is Verdict.QUIET
