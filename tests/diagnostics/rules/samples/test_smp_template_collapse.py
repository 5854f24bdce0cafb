"""Tests of smp-template-collapse."""

from diagnostics.diagnosis import Severity, Verdict

ONE = "what a wonderful film, everybody should see it at once"


def test_one_answer_to_every_prompt_is_a_warning(look, sound, mixed) -> None:
    assert look("smp-template-collapse", mixed([ONE] * 48), sound()).severity is Severity.WARNING


def test_different_answers_are_none(look, sound) -> None:
    assert look("smp-template-collapse", sound(), sound()).severity is None


def test_a_frame_that_was_there_from_the_start_is_the_task(look, mixed) -> None:
    assert look("smp-template-collapse", mixed([ONE] * 48), mixed([ONE] * 48)).severity is None


def test_short_answers_are_not_compared(look, sound, mixed) -> None:
    assert look("smp-template-collapse", mixed(["fine film"] * 48), sound()).verdict is Verdict.SKIPPED


def test_one_prompt_many_answers_is_skipped(look, sound) -> None:
    rows = [row | {"query": "Q"} for row in sound()]
    assert look("smp-template-collapse", rows, rows).verdict is Verdict.SKIPPED
