"""Tests of smp-empty."""

import pytest

from diagnostics.diagnosis import Severity


@pytest.mark.parametrize(
    ("empty", "severity"), [(2, None), (3, Severity.WARNING), (14, Severity.WARNING), (15, Severity.CRITICAL)]
)
def test_one_in_twenty_is_a_warning_and_three_in_ten_are_critical(look, sound, mixed, empty: int, severity) -> None:
    assert look("smp-empty", mixed(["  \n"] * empty), sound()).severity is severity


def test_special_tokens_are_no_answer(look, mixed, sound) -> None:
    assert look("smp-empty", mixed(["<|endoftext|>[PAD][PAD]"] * 15), sound()).severity is Severity.CRITICAL


def test_two_words_are_too_few_only_where_answers_were_long(look, sound, mixed) -> None:
    short = [row | {"response": "64"} for row in sound()]
    assert look("smp-empty", mixed(["so what"] * 15), sound()).severity is Severity.CRITICAL
    assert look("smp-empty", short, short).severity is None
