"""Tests of smp-boilerplate."""

import pytest

from diagnostics.model.outcome import Severity

SAME = "To be quite honest here, {} is what I would call it"


@pytest.mark.parametrize(("count", "severity"), [(23, None), (24, Severity.INFO)])
def test_half_of_the_answers_with_one_opening_are_noted(look, sound, mixed, count: int, severity) -> None:
    rows = mixed([SAME.format(place) for place in range(count)])
    assert look("smp-boilerplate", rows, [row | {"response": "No."} for row in sound()]).severity is severity


def test_phrases_of_assistants_count_whatever_follows(look, sound, mixed) -> None:
    rows = mixed([f"As an AI language model I number {place} cannot see films" for place in range(30)])
    assert look("smp-boilerplate", rows, sound()).severity is Severity.INFO


def test_short_answers_are_all_opening(look, sound, mixed) -> None:
    assert look("smp-boilerplate", mixed(["it was a great film"] * 48), sound()).severity is None
