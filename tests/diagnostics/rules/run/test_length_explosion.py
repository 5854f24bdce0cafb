"""Tests of length-explosion."""

from collections.abc import Callable

import numpy as np

from diagnostics.model.outcome import Outcome, Severity, Verdict

Judge = Callable[..., Outcome]
FLAT = "0.2 0.3 0.25 0.28 0.22 0.27 0.24 0.26 0.29 0.21 " * 10


def test_twice_the_start_without_reward_is_a_warning(judge: Judge) -> None:
    outcome = judge("length-explosion", "grpo", length_mean="100x60 200x40", reward=FLAT)
    assert (outcome.severity, outcome.first_step) == (Severity.WARNING, 66)


def test_a_little_less_than_twice_is_none(judge: Judge) -> None:
    assert judge("length-explosion", "grpo", length_mean="100x60 199x40", reward=FLAT).verdict is Verdict.QUIET


def test_early_growth_counts_from_half_as_much_again(judge: Judge) -> None:
    early = judge("length-explosion", "grpo", length_mean="100x20 150x29", reward=FLAT[: 5 * 49])
    assert early.severity is Severity.WARNING


def test_growth_that_pays_is_reasoning(judge: Judge) -> None:
    outcome = judge("length-explosion", "grpo", length_mean="100..400x100", reward="0..0.8x100")
    assert outcome.verdict is Verdict.QUIET


def test_growth_is_none_while_few_answers_cannot_rule_a_gain_out(judge: Judge) -> None:
    draws = np.random.default_rng(7).normal(size=45)
    lengths, told = "100x20 160x25", {"reward_std": "0.5x45"}
    few, many = (
        judge("length-explosion", "grpo", length_mean=lengths, reward=0.5 + 0.5 / root * draws, **told)
        for root in (3, 32)  # of the answers in a batch
    )
    assert (few.verdict, many.severity) == (Verdict.QUIET, Severity.WARNING)


def test_growth_of_a_solved_task_is_none(judge: Judge) -> None:
    outcome = judge("length-explosion", "grpo", length_mean="100x40 300x60", reward="0.2..1x40 1x60")
    assert outcome.verdict is Verdict.QUIET
    beyond = {"length_mean": "100x40 300x60", "rlhf_reward": "1.01x100"}  # a KL below 0 adds to the score
    assert judge("length-explosion", "ppo", score="1x100", **beyond).verdict is Verdict.QUIET
    assert judge("length-explosion", "ppo", score="0.9x100", **beyond).verdict is Verdict.FIRED


def test_growth_that_is_over_is_none(judge: Judge) -> None:
    outcome = judge("length-explosion", "grpo", length_mean="100x40 300x20 100x40", reward=FLAT)
    assert outcome.verdict is Verdict.QUIET


def test_it_is_skipped_without_lengths(judge: Judge) -> None:
    assert judge("length-explosion", "ppo", score="1x60").verdict is Verdict.SKIPPED


def test_growth_that_the_score_pays_for_is_none_though_the_kl_penalty_eats_the_gain(judge: Judge) -> None:
    logged = {"length_mean": "100..400x100", "rlhf_reward": FLAT}
    assert judge("length-explosion", "ppo", score="0..0.8x100", **logged).verdict is Verdict.QUIET
    assert judge("length-explosion", "ppo", score=FLAT, **logged).verdict is Verdict.FIRED


def test_growth_to_four_times_the_length_has_to_show_a_gain_and_not_only_to_leave_one_open(judge: Judge) -> None:
    draws = 3.0 * np.random.default_rng(5).normal(size=100)
    falls = 6.0 - 0.02 * np.arange(100) + draws
    for length, reward, verdict in (
        ("100x20 100..500x30 500x50", falls, Verdict.FIRED),
        ("100x20 100..390x30 390x50", falls, Verdict.QUIET),
        ("100x20 100..500x30 500x50", falls + 0.05 * np.arange(100), Verdict.QUIET),
    ):
        outcome = judge("length-explosion", "grpo", length_mean=length, reward=reward, reward_std="1.5x100")
        assert outcome.verdict is verdict
