"""Tests of generation-bound."""

from collections.abc import Callable

import pytest

from diagnostics.model.outcome import Severity, Verdict


@pytest.mark.parametrize(("waited", "severity"), [("2x20", Severity.INFO), ("5x20", Severity.WARNING)])
def test_a_trainer_that_waits_is_a_note_and_half_of_the_time_a_warning(
    judge: Callable, waited: str, severity: Severity
) -> None:
    outcome = judge("generation-bound", "grpo", step_time="10x20", rollout_wait_time=waited)
    assert (outcome.verdict, outcome.severity, outcome.message.template) == (
        Verdict.FIRED,
        severity,
        "generation-bound.waiting",
    )


def test_a_little_less_is_one_level_milder(judge: Callable) -> None:
    assert judge("generation-bound", "grpo", step_time="10x20", rollout_wait_time="1.9x20").verdict is Verdict.QUIET
    assert judge("generation-bound", "grpo", step_time="10x20", rollout_wait_time="4.9x20").severity is Severity.INFO


def test_seven_tenths_of_generation_are_never_more_than_a_note(judge: Callable) -> None:
    assert judge("generation-bound", "grpo", step_time="10x20", generation_time="7x20").severity is Severity.INFO
    assert judge("generation-bound", "grpo", step_time="10x20", generation_time="9.9x20").severity is Severity.INFO
    assert judge("generation-bound", "grpo", step_time="10x20", generation_time="6.9x20").verdict is Verdict.QUIET


def test_generation_beside_a_trainer_that_does_not_wait_is_left_alone(judge: Callable) -> None:
    """An asynchronous run generates all the time, which costs nobody anything."""
    times = {"step_time": "10x20", "generation_time": "9.9x20", "rollout_wait_time": "0.1x20"}
    assert judge("generation-bound", "grpo", **times).verdict is Verdict.QUIET


def test_a_share_of_idle_time_is_as_good_as_seconds(judge: Callable) -> None:
    outcome = judge("generation-bound", "grpo", step_time="10x20", idle_fraction="0.6x20")
    assert (outcome.severity, outcome.measured) == (Severity.WARNING, 6.0)


def test_single_slow_steps_are_left_alone(judge: Callable) -> None:
    values = "1x10 9x2 1x10 9x2 1x10"
    assert judge("generation-bound", "grpo", step_time="10x34", rollout_wait_time=values).verdict is Verdict.QUIET


def test_without_the_parts_of_a_step_it_says_what_to_log(judge: Callable) -> None:
    outcome = judge("generation-bound", "grpo", step_time="10x20")
    assert (outcome.verdict, outcome.applies) == (Verdict.SKIPPED, True)
    assert outcome.enable is not None


def test_steps_too_short_to_matter_are_not_judged(judge: Callable) -> None:
    outcome = judge("generation-bound", "grpo", step_time="0.99x20", generation_time="0.9x20")
    assert (outcome.verdict, outcome.applies) == (Verdict.SKIPPED, False)
