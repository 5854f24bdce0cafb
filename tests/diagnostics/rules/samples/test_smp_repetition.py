"""Tests of smp-repetition."""

import pytest

from diagnostics.model.outcome import Severity, Verdict

LOOP = "great film great film great film great film great film great film"


@pytest.mark.parametrize(
    ("loops", "severity"), [(8, None), (9, Severity.WARNING), (14, Severity.WARNING), (15, Severity.CRITICAL)]
)
def test_a_rise_above_chance_is_a_warning_and_three_in_ten_are_critical(look, sound, mixed, loops, severity) -> None:
    assert look("smp-repetition", mixed([LOOP] * loops), sound()).severity is severity


def test_what_repeated_itself_from_the_start_is_the_task(look, mixed) -> None:
    assert look("smp-repetition", mixed([LOOP] * 40), mixed([LOOP] * 40)).severity is None


def test_short_rows_are_not_judged(look, sound, mixed) -> None:
    assert look("smp-repetition", mixed(["ha ha ha ha ha ha ha ha ha ha ha"] * 48), sound()).severity is None


def test_a_scratchpad_is_no_repetition(look, sound, mixed) -> None:
    assert look("smp-repetition", mixed(["(2+2=4 1+5=6)64"] * 48), sound()).severity is None


def test_without_first_tables_it_is_skipped(look, mixed) -> None:
    outcome = look("smp-repetition", mixed([LOOP] * 40))
    assert (outcome.verdict, outcome.enable is not None) == (Verdict.SKIPPED, True)


ONCE = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen"
AGAIN = "one two three four five one two three four six seven eight nine ten eleven twelve"
OFTEN = "one two three four five one two three four six one two three four five seven"


def test_twice_the_mean_is_a_warning_though_no_row_is_all_repetition(look, mixed) -> None:
    outcome = look("smp-repetition", mixed([OFTEN] * 48), mixed([AGAIN] * 48))
    assert (outcome.severity, outcome.message.template) == (Severity.WARNING, "smp-repetition.mean")


def test_a_small_rise_of_the_mean_is_none(look, mixed) -> None:
    assert look("smp-repetition", mixed([AGAIN] * 20 + [ONCE] * 28), mixed([ONCE] * 48)).severity is None
    assert look("smp-repetition", mixed([AGAIN] * 48), mixed([AGAIN] * 48)).severity is None
