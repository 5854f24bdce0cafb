"""Tests of smp-language-drift."""

import pytest

from diagnostics.model.outcome import Severity

RUSSIAN = "это очень длинный фильм о море и людях"
MIXED = "the film очень хороший и длинный, 电影很好看"


@pytest.mark.parametrize("response", [RUSSIAN, MIXED])
def test_answers_in_another_script_are_found(look, sound, mixed, response: str) -> None:
    severities = [look("smp-language-drift", mixed([response] * count), sound()).severity for count in (8, 9, 10)]
    assert severities == [None, Severity.WARNING, Severity.CRITICAL]


def test_russian_answers_to_russian_prompts_are_none(look, sound, mixed) -> None:
    assert look("smp-language-drift", mixed([RUSSIAN] * 48, query="Напиши о фильме"), sound()).severity is None


def test_a_translation_task_is_none(look, mixed) -> None:
    rows = mixed([RUSSIAN] * 48)
    assert look("smp-language-drift", rows, rows).severity is None


def test_numbers_and_a_greek_letter_are_none(look, sound, mixed) -> None:
    rows = mixed(["so the angle α is 64 degrees and nothing else is known of it"] * 48)
    assert look("smp-language-drift", rows, sound()).severity is None
