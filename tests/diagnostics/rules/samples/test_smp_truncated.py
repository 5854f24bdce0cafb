"""Tests of smp-truncated."""

import pytest

from diagnostics.model.outcome import Severity, Verdict


@pytest.mark.parametrize(
    ("cut", "severity"), [(11, None), (12, Severity.INFO), (34, Severity.INFO), (35, Severity.WARNING)]
)
def test_a_proven_tenth_is_noted_and_a_proven_half_is_a_warning(
    look, sound, cut: int, severity: Severity | None
) -> None:
    rows = [row | {"terminated": place * 11 % 48 >= cut} for place, row in enumerate(sound())]
    assert look("smp-truncated", rows).severity is severity


def test_it_shows_the_cut_rows(look, sound) -> None:
    rows = [row | {"terminated": place not in (7, 40)} for place, row in enumerate(sound())]
    outcome = look("smp-truncated", rows, limits={"info": 0.001})
    assert {(shown.step, shown.row) for shown in outcome.evidence.samples} == {(103, 8), (101, 7)}


def test_it_is_skipped_where_samples_do_not_say_how_they_ended(look, sound) -> None:
    assert look("smp-truncated", sound()).verdict is Verdict.SKIPPED


def test_fifteen_rows_are_too_few(look, sound) -> None:
    outcome = look("smp-truncated", sound(15, terminated=False))
    assert (outcome.verdict, outcome.message.values["found"]) == (Verdict.SKIPPED, 15)
    assert look("smp-truncated", sound(16, terminated=False)).severity is Severity.WARNING
