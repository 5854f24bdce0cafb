"""Tests of update-too-large."""

from collections.abc import Callable

import pytest

from diagnostics.diagnosis import Outcome, Severity, Verdict

Judge = Callable[..., Outcome]


@pytest.mark.parametrize(("level", "severity"), [("0.03", Severity.WARNING), ("0.1", Severity.CRITICAL)])
def test_three_points_at_the_limit_fire(judge: Judge, level: str, severity: Severity) -> None:
    outcome = judge("update-too-large", "ppo", approx_kl=f"0.005x10 {level}x3 0.005x9")
    assert (severity, 11, 13) == (outcome.severity, outcome.first_step, outcome.last_step)


def test_two_points_do_not(judge: Judge) -> None:
    assert judge("update-too-large", "ppo", approx_kl="0.005x10 0.1x2 0.005x6").verdict is Verdict.QUIET


def test_a_spike_is_quiet(judge: Judge) -> None:
    assert judge("update-too-large", "ppo", approx_kl="0.005x10 5 0.005x10").verdict is Verdict.QUIET


def test_large_first_steps_are_quiet(judge: Judge) -> None:
    assert judge("update-too-large", "ppo", approx_kl="0.2x5 0.005x10").verdict is Verdict.QUIET


def test_seven_points_are_too_few(judge: Judge) -> None:
    outcome = judge("update-too-large", "ppo", approx_kl="0.2x7")
    assert (outcome.verdict, outcome.message.values["needed"]) == (Verdict.SKIPPED, 8)


def test_it_is_skipped_where_its_input_is_missing(judge: Judge) -> None:
    assert judge("update-too-large", "ppo", score="1x20").verdict is Verdict.SKIPPED
