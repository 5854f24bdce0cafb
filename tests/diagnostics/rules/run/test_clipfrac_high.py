"""Tests of clipfrac-high."""

from collections.abc import Callable

import pytest

from diagnostics.model.outcome import Outcome, Severity, Verdict

Judge = Callable[..., Outcome]


@pytest.mark.parametrize(("level", "severity"), [("0.3", Severity.WARNING), ("0.5", Severity.CRITICAL)])
def test_three_points_at_the_limit_fire(judge_harmed: Judge, level: str, severity: Severity) -> None:
    assert judge_harmed("clipfrac-high", "ppo", clip_fraction=f"0.05x12 {level}x3 0.05x2").severity is severity


def test_two_points_do_not(judge: Judge) -> None:
    assert judge("clipfrac-high", "ppo", clip_fraction="0.05x12 0.5x2 0.05x6").verdict is Verdict.QUIET


def test_clipping_in_the_first_steps_is_quiet(judge: Judge) -> None:
    assert judge("clipfrac-high", "ppo", clip_fraction="0.6x10 0.05x15").verdict is Verdict.QUIET


def test_twelve_points_are_too_few(judge: Judge) -> None:
    outcome = judge("clipfrac-high", "ppo", clip_fraction="0.6x12")
    assert (outcome.verdict, outcome.message.values["needed"]) == (Verdict.SKIPPED, 13)


def test_it_is_skipped_where_its_input_is_missing(judge: Judge) -> None:
    assert judge("clipfrac-high", "ppo", score="1x20").verdict is Verdict.SKIPPED


@pytest.mark.parametrize(
    ("clipped", "size", "verdict"),
    [("0.25", "2e-5", Verdict.FIRED), ("0.25", "0.02", Verdict.QUIET), ("0.04", "2e-5", Verdict.QUIET)],
)
def test_tokens_that_are_clipped_although_updates_are_small_show_a_tight_clip_range(
    judge: Judge, clipped: str, size: str, verdict: Verdict
) -> None:
    outcome = judge("clipfrac-high", "ppo", clip_fraction=f"{clipped}x30", approx_kl=f"{size}x30")
    assert outcome.verdict is verdict
    if verdict is Verdict.FIRED:
        assert (outcome.severity, outcome.measured) == (Severity.WARNING, pytest.approx(0.0127, abs=1e-4))
    assert judge("clipfrac-high", "ppo", clip_fraction=f"{clipped}x30").verdict is Verdict.QUIET
