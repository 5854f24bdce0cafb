"""Tests of smp-format-without-answer."""

import pytest

from diagnostics.model.outcome import Severity, Verdict

HOLLOW = ("<think>Let me see.</think>", "It is <answer> </answer>", "So the result is \\boxed{}.")


@pytest.mark.parametrize("response", HOLLOW)
def test_tags_without_an_answer_are_a_warning(look, sound, mixed, response: str) -> None:
    assert look("smp-format-without-answer", mixed([response] * 9), sound()).severity is Severity.WARNING
    assert look("smp-format-without-answer", mixed([response] * 8), sound()).severity is None


@pytest.mark.parametrize("response", ["<think>a</think> 42", "<answer>42</answer>", "\\boxed{42}", "plain words"])
def test_an_answer_in_its_tags_is_none(look, sound, mixed, response: str) -> None:
    assert look("smp-format-without-answer", mixed([response] * 48), sound()).severity is None


def test_a_cut_off_thought_is_not_hollow(look, sound, mixed) -> None:
    rows = mixed([HOLLOW[0]] * 48, terminated=False)
    assert look("smp-format-without-answer", rows, sound()).severity is None


def test_without_first_tables_it_is_skipped(look, mixed) -> None:
    assert look("smp-format-without-answer", mixed([HOLLOW[0]] * 48)).verdict is Verdict.SKIPPED
