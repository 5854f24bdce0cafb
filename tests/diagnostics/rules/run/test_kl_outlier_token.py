"""Tests of kl-outlier-token."""

from collections.abc import Callable

from diagnostics.model.outcome import Outcome, Severity, Verdict

Judge = Callable[..., Outcome]


def test_a_point_or_two_far_out_are_noted(judge: Judge) -> None:
    one = judge("kl-outlier-token", "grpo", kl_per_token="0.05x20 1 0.05x9")
    two = judge("kl-outlier-token", "grpo", kl_per_token="0.05x20 900x2 0.05x9")
    assert (one.severity, one.first_step, one.last_step, one.measured) == (Severity.INFO, 21, 21, 1.0)
    assert (two.severity, two.first_step, two.last_step) == (Severity.INFO, 21, 22)


def test_three_points_are_a_departure_and_not_an_outlier(judge: Judge) -> None:
    assert judge("kl-outlier-token", "grpo", kl_per_token="0.05x20 900x3 0.05x9").verdict is Verdict.QUIET


def test_a_point_that_has_not_come_back_yet_is_quiet(judge: Judge) -> None:
    assert judge("kl-outlier-token", "grpo", kl_per_token="0.05x20 900x2").verdict is Verdict.QUIET


def test_just_below_either_limit_is_quiet(judge: Judge) -> None:
    assert judge("kl-outlier-token", "grpo", kl_per_token="0.01x20 0.99 0.01x9").verdict is Verdict.QUIET
    assert judge("kl-outlier-token", "grpo", kl_per_token="0.06x20 1.1 0.06x9").verdict is Verdict.QUIET


def test_a_short_run_says_how_many_points_it_needs(judge: Judge) -> None:
    outcome = judge("kl-outlier-token", "grpo", kl_per_token="0.05x10")
    assert (outcome.verdict, outcome.message.values) == (Verdict.SKIPPED, {"needed": 11, "found": 10})


def test_it_is_skipped_where_its_input_is_missing(judge: Judge) -> None:
    assert judge("kl-outlier-token", "grpo", reward="1x20").verdict is Verdict.SKIPPED
