"""Tests of zero-variance-groups."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from diagnostics.model.outcome import Outcome, Severity, Verdict
from diagnostics.model.series import Values

Judge = Callable[..., Outcome]


def test_half_of_the_groups_for_thirty_points_is_a_warning(judge: Judge) -> None:
    outcome = judge("zero-variance-groups", "grpo", zero_std_fraction="0.1x20 0.5x30 0.1x20", reward="0.5x70")
    assert (outcome.severity, outcome.first_step, outcome.limit) == (Severity.WARNING, 21, 0.5)


def test_a_sparse_reward_is_given_thirty_points_unless_sampling_is_greedy(judge: Judge) -> None:
    logged = {"zero_std_fraction": "0.1x20 0.5x29 0.1x20", "reward": "0.5x69"}
    assert judge("zero-variance-groups", "grpo", **logged).severity is Severity.INFO
    assert judge("zero-variance-groups", "grpo", **logged, config={"temperature": 0.1}).severity is Severity.WARNING


def test_nine_points_or_a_little_less_are_quiet(judge: Judge) -> None:
    assert judge("zero-variance-groups", "grpo", zero_std_fraction="0.1x20 0.5x9 0.1x20").verdict is Verdict.QUIET
    assert judge("zero-variance-groups", "grpo", zero_std_fraction="0.39x50").verdict is Verdict.QUIET


def test_four_in_ten_groups_are_noted(judge: Judge) -> None:
    assert judge("zero-variance-groups", "grpo", zero_std_fraction="0.4x50").severity is Severity.INFO
    assert judge("zero-variance-groups", "grpo", zero_std_fraction="0.49x50").severity is Severity.INFO


@pytest.mark.parametrize(
    ("silent", "reward", "severity"),
    [
        ("0.98x40", "0.1x40", Severity.CRITICAL),
        ("0.97x40", "0.1x40", Severity.WARNING),
        ("1x40", "0.6x40", Severity.WARNING),
        ("0.1x30 1x40", "0.1x70", Severity.WARNING),
        ("1x40", "-3x40", Severity.WARNING),
        ("1x20 0.9x40", "0x20 0..0.4x40", Severity.INFO),
    ],
)
def test_only_what_began_so_and_earns_little_is_critical(
    judge: Judge, silent: str, reward: str, severity: Severity
) -> None:
    assert judge("zero-variance-groups", "grpo", zero_std_fraction=silent, reward=reward).severity is severity


def test_groups_that_agree_because_they_are_right_are_noted_with_their_share(judge: Judge) -> None:
    outcome = judge("zero-variance-groups", "grpo", zero_std_fraction="0.1x20 0.7x30", reward="0.5x20 0.93x30")
    assert (outcome.severity, outcome.measured) == (Severity.INFO, 0.7)
    assert outcome.message.template == "zero-variance-groups.right"


@pytest.mark.parametrize(
    ("algorithm", "config"),
    [
        ("grpo", {"scale_rewards": "batch"}),
        ("grpo", {"multi_objective_aggregation": "normalize_then_sum"}),
        ("rloo", {"beta": 0.05}),
    ],
)
def test_it_is_skipped_where_the_metric_is_not_per_group(judge: Judge, algorithm: str, config: dict[str, Any]) -> None:
    outcome = judge("zero-variance-groups", algorithm, zero_std_fraction="1x40", config=config)
    assert (outcome.verdict, outcome.enable is not None) == (Verdict.SKIPPED, True)


def test_it_is_skipped_where_its_input_is_missing(judge: Judge) -> None:
    assert judge("zero-variance-groups", "grpo", reward="1x40").verdict is Verdict.SKIPPED


def silent_groups(share: float, groups: int) -> Values:
    return np.random.default_rng(7).binomial(groups, share, size=60) / groups


def test_four_groups_in_a_step_that_agree_half_of_the_time_prove_nothing(judge: Judge) -> None:
    few, many = silent_groups(0.45, groups=4), silent_groups(0.75, groups=16)
    assert judge("zero-variance-groups", "grpo", zero_std_fraction=few, reward="0.3x60").verdict is Verdict.QUIET
    assert judge("zero-variance-groups", "grpo", zero_std_fraction=many, reward="0.3x60").severity is Severity.WARNING


def test_a_reward_that_rises_all_the_same_makes_it_a_note(judge: Judge) -> None:
    outcome = judge("zero-variance-groups", "grpo", zero_std_fraction="0.7x40", reward="0.1..0.5x40")
    assert outcome.severity is Severity.INFO


@pytest.mark.parametrize(("temperature", "severity"), [(0.3, Severity.INFO), (0.2, Severity.WARNING)])
def test_no_rise_excuses_groups_that_agree_because_sampling_is_cold(
    judge: Judge, temperature: float, severity: Severity
) -> None:
    logged = {"zero_std_fraction": "0.7x40", "reward": "0.3..0.6x40", "config": {"temperature": temperature}}
    assert judge("zero-variance-groups", "grpo", **logged).severity is severity


def test_cold_groups_that_are_mostly_right_are_copies_too(judge: Judge) -> None:
    logged = {"zero_std_fraction": "0.7x40", "reward": "0.9x40"}
    assert judge("zero-variance-groups", "grpo", config={"temperature": 0.2}, **logged).severity is Severity.WARNING
    assert judge("zero-variance-groups", "grpo", config={"temperature": 1.0}, **logged).severity is Severity.INFO
    solved = {"zero_std_fraction": "0.9x40", "reward": "0.96x40", "config": {"temperature": 0.2}}
    assert judge("zero-variance-groups", "grpo", **solved).severity is Severity.WARNING


@pytest.mark.parametrize(
    ("entropy", "reward", "severity"),
    [
        ("0.029x40", "0.6x5 0.9x35", Severity.WARNING),
        ("0.03x40", "0.6x5 0.9x35", Severity.INFO),
        ("0.029x40", "0.8x5 0.9x35", Severity.INFO),
        ("0.029x40", "0.6x5 0.96x35", Severity.INFO),
    ],
)
def test_a_cold_start_shows_where_no_temperature_is_known(
    judge: Judge, entropy: str, reward: str, severity: Severity
) -> None:
    logged = {"zero_std_fraction": "0.5x5 0.9x35", "entropy_per_token": entropy, "reward": reward}
    assert judge("zero-variance-groups", "grpo", **logged).severity is severity
    known = judge("zero-variance-groups", "grpo", config={"temperature": 1.0}, **logged)
    assert known.severity is Severity.INFO


def test_a_sparse_reward_that_may_be_rising_makes_it_a_note(judge: Judge) -> None:
    noise = np.random.default_rng(3).normal(scale=0.02, size=60)
    slow = 0.06 + noise + np.linspace(0, 0.03, 60)
    logged = {"zero_std_fraction": "0.7x60", "reward_std": "0.24x60"}
    assert judge("zero-variance-groups", "grpo", reward=slow, **logged).severity is Severity.INFO
    assert judge("zero-variance-groups", "grpo", reward=slow[::-1].copy(), **logged).severity is Severity.WARNING


@pytest.mark.parametrize(
    ("points", "reward", "severity"),
    [(20, "0", Severity.CRITICAL), (20, "0 0.1", Severity.INFO), (50, "0 0.1", Severity.CRITICAL)],
)
def test_nearly_all_of_them_are_critical_from_thirty_points_on_unless_none_earns_anything(
    judge: Judge, points: int, reward: str, severity: Severity
) -> None:
    rewards = f"{reward} " * (points // len(reward.split()))
    assert judge("zero-variance-groups", "grpo", zero_std_fraction=f"1x{points}", reward=rewards).severity is severity


def test_groups_of_which_more_agree_than_can_be_right_are_not_said_to_be_right(judge: Judge) -> None:
    ignored = judge("zero-variance-groups", "grpo", zero_std_fraction="1x40", reward="0.89x40")
    right = judge("zero-variance-groups", "grpo", zero_std_fraction="0.9x40", reward="0.89x40")
    assert (ignored.severity, ignored.message.template) == (Severity.WARNING, "zero-variance-groups.fired")
    assert (right.severity, right.message.template) == (Severity.INFO, "zero-variance-groups.right")


def test_a_reward_that_rose_a_little_at_first_and_stays_at_little_is_no_excuse(judge: Judge) -> None:
    stuck = judge("zero-variance-groups", "grpo", zero_std_fraction="0.5x5 1x60", reward="0.05x3 0.07x62")
    rising = judge("zero-variance-groups", "grpo", zero_std_fraction="0.5x5 1x60", reward="0.05x3 0.07x20 0.07..0.2x42")
    assert (stuck.severity, rising.severity) == (Severity.CRITICAL, Severity.INFO)
