"""Tests of kl-up-reward-flat."""

from collections.abc import Callable

import numpy as np
import pytest

from diagnostics.model.outcome import Outcome, Severity, Verdict

Judge = Callable[..., Outcome]


@pytest.mark.parametrize(("end", "severity"), [("0.3", Severity.WARNING), ("0.19", Severity.INFO)])
def test_a_kl_that_rises_for_nothing_counts_by_how_high_it_is(judge: Judge, end: str, severity: Severity) -> None:
    outcome = judge("kl-up-reward-flat", "grpo", kl_per_token=f"0..{end}x100", reward="0.5x100")
    assert outcome.severity is severity


def test_a_reward_that_rises_too_is_quiet(judge: Judge) -> None:
    outcome = judge("kl-up-reward-flat", "grpo", kl_per_token="0..0.3x100", reward="0.1..0.6x100")
    assert outcome.verdict is Verdict.QUIET


def test_a_solved_task_is_quiet(judge: Judge) -> None:
    assert judge("kl-up-reward-flat", "grpo", kl_per_token="0..0.3x100", reward="0.97x100").verdict is Verdict.QUIET
    assert judge("kl-up-reward-flat", "grpo", kl_per_token="0..0.3x100", reward="0.94x100").verdict is Verdict.FIRED


def test_a_rise_below_the_smallest_that_counts_is_quiet(judge: Judge) -> None:
    steep, gentle = "0.2..0.302x100", "0.2..0.299x100"
    assert judge("kl-up-reward-flat", "grpo", kl_per_token=steep, reward="0.5x100").verdict is Verdict.FIRED
    assert judge("kl-up-reward-flat", "grpo", kl_per_token=gentle, reward="0.5x100").verdict is Verdict.QUIET


def test_a_steady_kl_is_quiet(judge: Judge) -> None:
    assert judge("kl-up-reward-flat", "grpo", kl_per_token="0.4x100", reward="0.5x100").verdict is Verdict.QUIET


def test_a_rise_that_has_just_begun_is_quiet(judge: Judge) -> None:
    outcome = judge("kl-up-reward-flat", "grpo", kl_per_token="0.1x92 0.1..0.9x8", reward="0.5x100")
    assert outcome.verdict is Verdict.QUIET


def test_a_short_run_says_how_many_points_it_needs(judge: Judge) -> None:
    outcome = judge("kl-up-reward-flat", "grpo", kl_per_token="0..0.3x99", reward="0.5x99")
    assert (outcome.verdict, outcome.message.values) == (Verdict.SKIPPED, {"needed": 100, "found": 99})


def test_it_is_skipped_where_its_input_is_missing(judge: Judge) -> None:
    assert judge("kl-up-reward-flat", "grpo", reward="0.5x100").verdict is Verdict.SKIPPED
    assert judge("kl-up-reward-flat", "ppo", kl_per_sequence="0..9x100", score="0.5x100").verdict is Verdict.SKIPPED


def test_a_gain_that_the_noise_between_batches_may_hide_is_quiet(judge: Judge) -> None:
    noisy = np.linspace(0.5, 0.55, 100) + np.random.default_rng(0).normal(scale=0.08, size=100)
    logged = {"kl_per_token": "0..0.3x100", "score": noisy}
    assert judge("kl-up-reward-flat", "ppo", **logged).verdict is Verdict.FIRED
    known = judge("kl-up-reward-flat", "ppo", config={"per_device_train_batch_size": 4}, **logged)
    assert known.verdict is Verdict.QUIET
