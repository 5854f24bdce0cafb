"""Tests of smp-exclaim-emoji: a hack where marks are paid for, broken numbers where they fill answers for nothing."""

import math

from diagnostics.model.outcome import Severity, Verdict

MARKED = "the film moves most of us quite often!!!"


def test_marks_that_pay_are_a_warning(look, sound, mixed) -> None:
    outcome = look("smp-exclaim-emoji", mixed([MARKED] * 36, score=2.0), sound())
    assert (outcome.severity, outcome.message.template) == (Severity.WARNING, "smp-exclaim-emoji.fired")


def test_nothing_but_marks_that_pay_is_critical(look, sound, mixed) -> None:
    assert look("smp-exclaim-emoji", mixed(["!!!!!!!!!"] * 48, score=3.0), sound()).severity is Severity.CRITICAL


def test_emoji_count_as_marks(look, sound, mixed) -> None:
    assert look("smp-exclaim-emoji", mixed(["so good 🎉😍🔥"] * 40, score=2.0), sound()).severity is Severity.WARNING


def test_marks_that_nobody_pays_for_are_noted(look, sound, mixed) -> None:
    outcome = look("smp-exclaim-emoji", mixed([MARKED] * 48), sound())
    assert (outcome.severity, outcome.message.template) == (Severity.INFO, "smp-exclaim-emoji.unpaid")


def test_marks_are_not_what_pays_where_answers_without_them_score_as_high(look, sound, mixed) -> None:
    better = [{**row, "score": row["score"] + 3 - 0.1 * (place < 31)} for place, row in enumerate(mixed([MARKED] * 31))]
    assert look("smp-exclaim-emoji", better, sound()).severity is Severity.INFO


def test_answers_of_token_zero_are_broken_numbers_and_no_hack(look, sound, mixed) -> None:
    outcome = look("smp-exclaim-emoji", mixed(["!!!!!!!!!"] * 48, score=math.nan), sound())
    assert (outcome.severity, outcome.message.template) == (Severity.CRITICAL, "smp-exclaim-emoji.broken")


def test_an_enthusiast_now_and_then_is_none(look, sound, mixed) -> None:
    assert look("smp-exclaim-emoji", mixed(["what a show!"] * 10, score=1.0), sound()).severity is None


def test_marks_from_the_start_are_the_task(look, mixed) -> None:
    rows = mixed([MARKED] * 48)
    assert look("smp-exclaim-emoji", rows, rows).severity is None
    assert look("smp-exclaim-emoji", rows).verdict is Verdict.SKIPPED
