"""Tests of policy-hardly-moves."""

from collections.abc import Callable

import numpy as np
import pytest

from diagnostics.model.outcome import Outcome, Severity, Verdict
from diagnostics.model.series import Values

Judge = Callable[..., Outcome]


def wavering(level: float, scale: float, points: int = 60) -> Values:
    return level + np.random.default_rng(round(1e3 * level)).normal(scale=scale, size=points)


STILL = {"entropy_per_token": wavering(0.5, 0.01), "reward": wavering(0.4, 0.05), "length_mean": wavering(20, 0.5)}


def test_a_learning_rate_that_moves_nothing_is_critical(judge: Judge) -> None:
    outcome = judge("policy-hardly-moves", "grpo", learning_rate="1e-8x20")
    assert (outcome.severity, outcome.message.template) == (Severity.CRITICAL, "policy-hardly-moves.tiny")
    assert judge("policy-hardly-moves", "grpo", learning_rate="1e-8x19").verdict is Verdict.SKIPPED
    assert judge("policy-hardly-moves", "grpo", learning_rate="1e-8x19 1.1e-8").verdict is Verdict.QUIET


def test_a_learning_rate_of_zero_is_another_rules_business(judge: Judge) -> None:
    assert judge("policy-hardly-moves", "grpo", learning_rate="0x40").verdict is Verdict.QUIET


def test_a_warm_up_that_outlasts_the_run_is_a_warning(judge: Judge) -> None:
    config = {"learning_rate": 1e-4}
    outcome = judge("policy-hardly-moves", "grpo", learning_rate="0..1e-6x30", config=config, total=50)
    assert (outcome.severity, outcome.message.template) == (Severity.WARNING, "policy-hardly-moves.warm_up")
    for rates, total in (("0..1.1e-6x30", 50), ("0..1e-6x30", 60)):
        outcome = judge("policy-hardly-moves", "grpo", learning_rate=rates, config=config, total=total)
        assert outcome.verdict is Verdict.QUIET


def test_a_learning_rate_that_rises_to_the_end_at_the_reference_is_still_warming_up(judge: Judge) -> None:
    rising = {"learning_rate": "0..1e-6x30", "total": 50}
    outcome = judge("policy-hardly-moves", "grpo", **rising, kl_per_token="0.00001x30")
    assert (outcome.severity, outcome.message.template) == (Severity.WARNING, "policy-hardly-moves.warming")
    for others in ({"kl_per_token": "0.001x30"}, {"kl_per_token": "0.00001x30", "learning_rate": "0..1e-6x20 1e-6x10"}):
        assert judge("policy-hardly-moves", "grpo", **{**rising, **others}).verdict is Verdict.QUIET


def test_a_run_that_ended_in_its_warm_up_and_learned_nothing_was_too_short_for_it(judge: Judge) -> None:
    ended = {"learning_rate": "0..1e-6x30", "reward": "0.4x30", "total": 30, "state": "finished"}
    outcome = judge("policy-hardly-moves", "grpo", **ended)
    assert (outcome.severity, outcome.message.template) == (Severity.WARNING, "policy-hardly-moves.never_warm")
    for others in ({"state": "running"}, {"reward": "0.2..0.8x30"}, {"learning_rate": "0..1e-6x20 1e-6x10"}):
        assert judge("policy-hardly-moves", "grpo", **{**ended, **others}).verdict is Verdict.QUIET


def test_a_run_in_which_nothing_moves_is_a_warning(judge: Judge) -> None:
    outcome = judge("policy-hardly-moves", "grpo", **STILL)
    assert (outcome.severity, outcome.first_step, outcome.last_step) == (Severity.WARNING, 1, 60)
    assert judge("policy-hardly-moves", "grpo", **STILL, kl_per_token="0.004x60").verdict is Verdict.FIRED


@pytest.mark.parametrize(
    "moved",
    [
        {"entropy_per_token": wavering(0.5, 0.01) - np.linspace(0, 0.1, 60)},
        {"reward": wavering(0.4, 0.05) + np.linspace(0, 0.2, 60)},
        {"length_mean": wavering(20, 0.5) + np.linspace(0, 4, 60)},
        {"kl_per_token": "0x5 0.005x55"},
        {"kl_per_token": "0..0.0004x60"},
    ],
)
def test_whatever_moves_shows_that_the_policy_does(judge: Judge, moved: dict[str, Values | str]) -> None:
    assert judge("policy-hardly-moves", "grpo", **{**STILL, **moved}).verdict is Verdict.QUIET


def test_answers_of_unknown_length_count_as_short_ones(judge: Judge) -> None:
    logged = {name: STILL[name] for name in ("entropy_per_token", "reward")}
    assert judge("policy-hardly-moves", "ppo", **logged, kl_per_sequence="0.32x60").verdict is Verdict.QUIET
    assert judge("policy-hardly-moves", "ppo", **logged, kl_per_sequence="0.31x60").verdict is Verdict.FIRED


def test_noise_that_could_hide_a_tenth_proves_nothing(judge: Judge) -> None:
    logged = {**STILL, "entropy_per_token": wavering(0.5, 0.12)}
    assert judge("policy-hardly-moves", "grpo", **logged).verdict is Verdict.QUIET


@pytest.mark.parametrize("reason", [{"reward": wavering(0.97, 0.005)}, {"reward": "0x60"}, {"grad_norm": "0x60"}])
def test_a_policy_without_a_reason_to_move_rightly_stands_still(judge: Judge, reason: dict[str, Values | str]) -> None:
    assert judge("policy-hardly-moves", "grpo", **{**STILL, **reason}).verdict is Verdict.QUIET


@pytest.mark.parametrize(
    ("pushed", "verdict"),
    [
        ({}, Verdict.FIRED),
        ({"kl_per_token": "5e-6x59 1e-4"}, Verdict.QUIET),
        ({"zero_std_fraction": "0.5x60"}, Verdict.QUIET),
        ({"grad_norm": "0x60"}, Verdict.QUIET),
    ],
)
def test_full_marks_are_no_reason_to_stand_still_while_most_groups_push(
    judge: Judge, pushed: dict[str, str], verdict: Verdict
) -> None:
    logged = {"reward": wavering(0.97, 0.005), "kl_per_token": "5e-6x60", "grad_norm": "2x60"}
    outcome = judge("policy-hardly-moves", "grpo", **{**STILL, **logged, "zero_std_fraction": "0.2x60", **pushed})
    assert outcome.verdict is verdict


def test_it_is_skipped_where_its_input_is_missing(judge: Judge) -> None:
    assert judge("policy-hardly-moves", "grpo", reward="1x60").verdict is Verdict.SKIPPED


def test_a_kl_that_grows_by_what_bfloat16_rounds_is_no_move(judge: Judge) -> None:
    assert judge("policy-hardly-moves", "grpo", **STILL, kl_per_token="7e-7..3e-6x60").verdict is Verdict.FIRED


def test_a_small_rise_must_be_ruled_out_by_three_standard_errors(judge: Judge) -> None:
    """The reward gained 0.011 at a standard error of 0.015: at most 0.056, and 0.041 by two of them."""
    for spread, verdict in (("0.25x60", Verdict.QUIET), ("0.3x60", Verdict.FIRED)):
        assert judge("policy-hardly-moves", "grpo", **STILL, reward_std=spread).verdict is verdict


def test_a_kl_of_exactly_zero_proves_that_no_weight_moves(judge: Judge) -> None:
    assert judge("policy-hardly-moves", "ppo", **STILL, kl_per_token="0x60").severity is Severity.CRITICAL
    assert judge("policy-hardly-moves", "ppo", **STILL, kl_per_token="0x59 1e-9").severity is Severity.WARNING


def test_a_warm_up_counts_by_its_share_of_the_learning_rate(judge: Judge) -> None:
    """Twenty steps of warm-up are those of ten at the full rate, and one that never ends counts by half."""
    logged = {name: values[:30] for name, values in STILL.items()}
    for rates, verdict in (("0..1e-4x20 1e-4x10", Verdict.FIRED), ("0..1e-4x22 1e-4x8", Verdict.QUIET)):
        assert judge("policy-hardly-moves", "grpo", **logged, learning_rate=rates).verdict is verdict
    for rates, verdict in (("0..1e-4x60", Verdict.FIRED), ("1e-4..0x60", Verdict.FIRED)):
        assert judge("policy-hardly-moves", "grpo", **STILL, learning_rate=rates).verdict is verdict


def test_a_kl_of_nearly_zero_tells_it_where_the_entropy_wavers(judge: Judge) -> None:
    """As in bfloat16, which rounds each update away: the KL of a sequence is its rounding, to either side of 0."""
    wavers = {"entropy_per_token": wavering(0.9, 0.4), "score": wavering(0.4, 0.05)}
    for kl, verdict in ((wavering(0, 0.002), Verdict.FIRED), (wavering(0.03, 0.002), Verdict.QUIET)):
        assert judge("policy-hardly-moves", "ppo", **wavers, kl_per_sequence=kl).verdict is verdict
    assert judge("policy-hardly-moves", "ppo", **wavers).verdict is Verdict.QUIET


def test_a_kl_at_which_no_reward_can_have_gained_tells_it_however_noisy_all_else_is(judge: Judge) -> None:
    """The KL of an answer is 0.01 nats: √(2 · 0.01) = 0.14 deviations; a fifth of one is small."""
    noisy = {
        "entropy_per_token": wavering(0.5, 0.3),
        "reward": wavering(0.4, 0.3),
        "length_mean": wavering(20, 9),
        "reward_std": "0.4x60",
    }
    outcome = judge("policy-hardly-moves", "grpo", **noisy, kl_per_token="0.0005x60")
    assert (outcome.severity, outcome.message.template) == (Severity.WARNING, "policy-hardly-moves.near")
    assert (outcome.metric, outcome.measured) == ("kl_per_token", pytest.approx(0.0005))
    assert judge("policy-hardly-moves", "grpo", **noisy, kl_per_token="0.0015x60").verdict is Verdict.QUIET
    assert judge("policy-hardly-moves", "grpo", **noisy).verdict is Verdict.QUIET


FLAT = {"reward": wavering(0.4, 0.2, points=120), "length_mean": wavering(60, 20, points=120)}


def test_a_long_run_that_stays_near_and_has_not_risen_is_told_though_its_kl_grows(judge: Judge) -> None:
    near = {**FLAT, "learning_rate": "2e-6..0x120", "kl_per_token": "0.0005..0.001x120"}
    outcome = judge("policy-hardly-moves", "grpo", **near)
    assert (outcome.severity, outcome.message.template) == (Severity.WARNING, "policy-hardly-moves.slow")
    rising = {"reward": FLAT["reward"] + np.linspace(0, 0.2, 120)}
    short = {name: values[:99] for name, values in FLAT.items()} | {"kl_per_token": "0.0005..0.001x99"}
    silent = {"reward": "0x50 0.25 0x69"}
    for others in (rising, short, silent, {"kl_per_token": "0.0005..0.005x120"}):
        assert judge("policy-hardly-moves", "grpo", **{**near, **others}).verdict is Verdict.QUIET


def test_the_kl_alone_tells_it_where_neither_learning_rate_nor_entropy_is_logged(judge: Judge) -> None:
    assert judge("policy-hardly-moves", "grpo", **FLAT, kl_per_token="0.001x120").verdict is Verdict.FIRED
    assert judge("policy-hardly-moves", "grpo", **FLAT, kl_per_token="0.01x120").verdict is Verdict.QUIET
