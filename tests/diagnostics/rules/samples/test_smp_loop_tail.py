"""Tests of smp-loop-tail."""

from diagnostics.model.outcome import Severity

LINES = "\n".join(["Let me check that again."] * 8)
LOOP = "The answer is found. " + "wait, " * 300
PROSE = " ".join(f"word{place} and thought{place * 7 % 31}" for place in range(120))
CODE = "\n".join(f"    if value == {place}:\n        return {place * place}\n    }}" for place in range(12))


def test_a_looping_end_is_a_warning(look, mixed, sound) -> None:
    assert look("smp-loop-tail", mixed([LOOP] * 3), sound()).severity is Severity.WARNING
    assert look("smp-loop-tail", mixed([LOOP] * 2), sound()).severity is None


def test_the_same_line_eight_times_is_a_loop_and_seven_times_is_none(look, mixed, sound) -> None:
    assert look("smp-loop-tail", mixed([LINES] * 3), sound()).severity is Severity.WARNING
    assert look("smp-loop-tail", mixed([LINES.partition("\n")[2]] * 48), sound()).severity is None


def test_prose_and_code_are_no_loop(look, mixed, sound) -> None:
    assert look("smp-loop-tail", mixed([PROSE] * 24 + [CODE] * 24), sound()).severity is None
