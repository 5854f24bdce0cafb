"""Tests of lr-decayed-plateau."""

from collections.abc import Callable

import numpy as np

from diagnostics.model.outcome import Outcome, Severity, Verdict

Judge = Callable[..., Outcome]
RATE = "1x60 0.09x30"
STOOD = "0.5 0.52 0.48 0.51 0.49 " * 6


def test_a_plateau_that_began_with_a_spent_learning_rate_is_noted(judge: Judge) -> None:
    outcome = judge("lr-decayed-plateau", "grpo", learning_rate=RATE, reward="0..0.5x60 " + STOOD)
    assert (outcome.severity, outcome.first_step) == (Severity.INFO, 61)


def test_twenty_nine_points_are_too_few(judge: Judge) -> None:
    outcome = judge("lr-decayed-plateau", "grpo", learning_rate="1x61 0.09x29", reward="0..0.5x60 " + STOOD)
    assert outcome.verdict is Verdict.QUIET


def test_a_reward_that_goes_on_rising_or_never_rose_is_another_story(judge: Judge) -> None:
    for reward in ("0..0.8x90", STOOD * 3):
        assert judge("lr-decayed-plateau", "grpo", learning_rate=RATE, reward=reward).verdict is Verdict.QUIET


def test_a_solved_task_needs_no_learning_rate(judge: Judge) -> None:
    outcome = judge("lr-decayed-plateau", "grpo", learning_rate=RATE, reward="0..1x60 1x30")
    assert outcome.verdict is Verdict.QUIET
    beyond = {"learning_rate": RATE, "rlhf_reward": "0..1.01x60 1.01x30"}  # a KL below 0 adds to the score
    assert judge("lr-decayed-plateau", "ppo", score="0..1x60 1x30", **beyond).verdict is Verdict.QUIET
    assert judge("lr-decayed-plateau", "ppo", score="0..0.9x60 0.9x30", **beyond).verdict is Verdict.FIRED


def test_it_is_skipped_without_a_learning_rate(judge: Judge) -> None:
    assert judge("lr-decayed-plateau", "grpo", reward="0..0.5x90").verdict is Verdict.SKIPPED


def test_a_rise_that_noise_hides_is_not_called_a_plateau(judge: Judge) -> None:
    noisy = np.linspace(0.2, 0.6, 500) + np.random.default_rng(1).normal(scale=0.05, size=500)
    outcome = judge("lr-decayed-plateau", "grpo", learning_rate="1..0x500", reward=noisy)
    assert outcome.verdict is Verdict.QUIET
