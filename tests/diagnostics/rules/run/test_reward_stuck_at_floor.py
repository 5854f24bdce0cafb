"""Tests of reward-stuck-at-floor."""

from collections.abc import Callable

from diagnostics.model.outcome import Outcome, Severity, Verdict

Judge = Callable[..., Outcome]


def test_twenty_points_without_any_difference_are_critical(judge: Judge) -> None:
    outcome = judge("reward-stuck-at-floor", "grpo", reward="0x20", reward_std="0x20")
    assert (outcome.severity, outcome.first_step, outcome.last_step) == (Severity.CRITICAL, 1, 20)
    assert judge("reward-stuck-at-floor", "grpo", reward="0x19", reward_std="0x19").verdict is Verdict.SKIPPED


def test_the_first_success_ends_it(judge: Judge) -> None:
    outcome = judge("reward-stuck-at-floor", "grpo", reward="0x30 0.01", reward_std="0x30 0.1")
    assert outcome.verdict is Verdict.QUIET


def test_a_constant_mean_with_a_spread_is_quiet(judge: Judge) -> None:
    assert judge("reward-stuck-at-floor", "grpo", reward="0.5x30", reward_std="0.1x30").verdict is Verdict.QUIET


def test_full_marks_from_the_start_are_no_floor(judge: Judge) -> None:
    assert judge("reward-stuck-at-floor", "grpo", reward="1x30", reward_std="0x30").verdict is Verdict.QUIET


def test_a_floor_may_be_below_zero(judge: Judge) -> None:
    outcome = judge("reward-stuck-at-floor", "grpo", reward="-1x30", reward_std="0x30")
    assert (outcome.severity, outcome.measured) == (Severity.CRITICAL, -1.0)


def test_it_is_skipped_where_its_input_is_missing(judge: Judge) -> None:
    outcome = judge("reward-stuck-at-floor", "grpo", reward="0x30")
    assert (outcome.verdict, outcome.enable is not None) == (Verdict.SKIPPED, True)
