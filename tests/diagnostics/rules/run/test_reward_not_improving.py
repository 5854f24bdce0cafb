"""Tests of reward-not-improving."""

from collections.abc import Callable

import numpy as np

from diagnostics.model.outcome import Outcome, Severity, Verdict
from diagnostics.model.series import Values

Judge = Callable[..., Outcome]


def noisy_series(level: Values, scale: float = 0.05) -> Values:
    return level + np.random.default_rng(1).normal(scale=scale, size=len(level))


def test_a_hundred_flat_points_are_a_warning(judge: Judge) -> None:
    outcome = judge("reward-not-improving", "ppo", rlhf_reward=noisy_series(np.full(100, 0.5)))
    assert (
        outcome.severity,
        outcome.metric,
        outcome.first_step,
        outcome.last_step,
    ) == (Severity.WARNING, "rlhf_reward", 1, 100)


def test_ninety_nine_are_too_few(judge: Judge) -> None:
    outcome = judge("reward-not-improving", "ppo", rlhf_reward=noisy_series(np.full(99, 0.5)))
    assert (outcome.verdict, outcome.message.values) == (Verdict.SKIPPED, {"needed": 100, "found": 99})


def test_a_run_planned_shorter_is_judged_at_its_end(judge: Judge) -> None:
    assert (
        judge("reward-not-improving", "grpo", reward=noisy_series(np.full(50, 0.5)), total=50).severity is Severity.INFO
    )
    assert (
        judge("reward-not-improving", "grpo", reward=noisy_series(np.full(49, 0.5)), total=50).verdict
        is Verdict.SKIPPED
    )


def test_a_slow_rise_is_quiet(judge: Judge) -> None:
    assert (
        judge("reward-not-improving", "ppo", rlhf_reward=noisy_series(np.linspace(0, 0.3, 100))).verdict
        is Verdict.QUIET
    )


def test_a_plateau_above_the_start_is_quiet(judge: Judge) -> None:
    level = np.concatenate([np.linspace(0, 0.6, 100), np.full(150, 0.6)])
    assert judge("reward-not-improving", "ppo", rlhf_reward=noisy_series(level)).verdict is Verdict.QUIET


def test_a_falling_reward_does_not_improve(judge: Judge) -> None:
    assert (
        judge("reward-not-improving", "ppo", rlhf_reward=noisy_series(np.linspace(1, 0, 100))).severity
        is Severity.WARNING
    )


def test_full_marks_from_the_start_cannot_rise(judge: Judge) -> None:
    assert judge("reward-not-improving", "grpo", reward="0.97x100").verdict is Verdict.QUIET
    assert judge("reward-not-improving", "grpo", reward="0.94x100").severity is Severity.WARNING


def test_full_marks_are_those_of_the_score_where_the_kl_penalty_is_part_of_the_reward(judge: Judge) -> None:
    solved = {"score": "1x100", "rlhf_reward": "1.0002x100"}  # a mean KL a little below 0 adds to the score
    assert judge("reward-not-improving", "ppo", **solved).verdict is Verdict.QUIET
    assert judge("reward-not-improving", "ppo", **{**solved, "score": "0.94x100"}).severity is Severity.WARNING


def test_it_is_skipped_where_no_reward_is_logged(judge: Judge) -> None:
    assert judge("reward-not-improving", "ppo", value_loss="1x100").verdict is Verdict.SKIPPED


def test_in_a_short_run_a_small_gain_counts(judge: Judge) -> None:
    draws = noisy_series(np.concatenate([np.full(20, 0.50), np.full(20, 0.52)]))
    assert judge("reward-not-improving", "grpo", reward=draws, total=40).verdict is Verdict.QUIET
    assert judge("reward-not-improving", "grpo", reward=draws - np.linspace(0, 0.1, 40), total=40).severity is not None


def test_a_short_run_that_lost_reward_is_a_warning_and_one_that_wanders_with_its_batches_a_note(judge: Judge) -> None:
    lost = noisy_series(np.linspace(0.6, 0.3, 40))
    assert judge("reward-not-improving", "grpo", reward=lost, total=40).severity is Severity.WARNING
    level = noisy_series(np.linspace(0.51, 0.49, 40))
    assert judge("reward-not-improving", "grpo", reward=level, total=40).severity is Severity.INFO


def test_a_batch_too_small_to_tell_a_small_gain_is_skipped_with_the_numbers(judge: Judge) -> None:
    falling = np.concatenate([np.full(20, 0.50), np.full(20, 0.49)])
    small, large = (
        judge("reward-not-improving", "grpo", reward=noisy_series(falling, 0.5 / root), reward_std="0.5x40", total=40)
        for root in (2, 16)  # of the answers in a batch
    )
    assert (small.verdict, large.verdict) == (Verdict.SKIPPED, Verdict.FIRED)
    assert small.message.values["small"] == 0.1


def test_a_small_gain_that_is_ruled_out_is_none(judge: Judge) -> None:
    falling = noisy_series(np.linspace(0.6, 0.5, 40), scale=0.02)
    assert judge("reward-not-improving", "grpo", reward=falling, reward_std="0.5x40", total=40).severity is not None
    assert judge("reward-not-improving", "grpo", reward="0.5x40", reward_std="0x40", total=40).severity is not None
