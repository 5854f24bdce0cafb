"""Tests of the formulas against closed forms, and against real runs that log both sides."""

import math
from pathlib import Path

import numpy as np
import pytest

from diagnostics.api import open_run
from diagnostics.derivations.formulas import (
    cut_off_share,
    dropped_share,
    dropped_share_of_total,
    largest_deviation,
    penalty_weight,
    per_sequence,
    per_token,
    rate,
    share_of,
    without_signal,
    without_spread,
)
from diagnostics.model.run import Run
from diagnostics.model.series import Values

ROOT = Path(__file__).parents[3]
OLD_PPO = ROOT / "tests" / "fixtures" / "trl" / "old710_tensorboard"
COLLAPSED = ROOT / "tests" / "fixtures" / "trl_corpus" / "learning-rate-too-high"
PPO = ROOT / "sample_runs" / "healthy-ppo"


def values(run: Run, *names: str) -> tuple[Values, ...]:
    """The values of metrics that were logged at the same steps."""
    found = [run.series[name] for name in names]
    assert len({tuple(item.steps) for item in found}) == 1
    return tuple(item.values for item in found)


def bound(*rewards: float) -> float:
    given = np.array(rewards)
    return float(largest_deviation(*(np.array([x]) for x in (given.mean(), given.min(), given.max())))[0])


def test_the_bound_is_the_deviation_where_rewards_take_two_values() -> None:
    assert bound(0, 0, 0, 1) == pytest.approx(np.std([0, 0, 0, 1]))
    assert bound(-1, 2, 2) == pytest.approx(np.std([-1, 2, 2]))


def test_the_bound_is_above_the_deviation_of_graded_rewards() -> None:
    assert bound(0, 0.4, 0.5, 0.6, 1) > np.std([0, 0.4, 0.5, 0.6, 1])


def test_equal_rewards_have_no_spread_even_where_the_mean_is_rounded() -> None:
    mean = np.array([0.30000001, 0.29999999])
    assert largest_deviation(mean, np.full(2, 0.3), np.full(2, 0.3)).tolist() == [0.0, 0.0]


def test_the_spread_of_a_mean_outside_of_the_range_is_not_known() -> None:
    assert math.isnan(largest_deviation(np.array([1.5]), np.array([0.0]), np.array([1.0]))[0])


def test_the_weight_of_the_penalty_is_the_one_that_was_logged() -> None:
    penalty, kl, weight = values(open_run(PPO), "non_score_reward", "kl_per_sequence", "kl_coef")
    found = penalty_weight(penalty, kl)
    assert np.isfinite(found).sum() > 90
    assert found[np.isfinite(found)] == pytest.approx(weight[np.isfinite(found)], rel=1e-4)
    assert np.isnan(penalty_weight(np.array([1e-6]), np.array([9e-4]))).all()


@pytest.mark.parametrize("hole", [math.nan, math.inf])
def test_a_number_that_broke_stays_visible(hole: float) -> None:
    lone, one = np.array([hole]), np.array([1.0])
    assert not math.isfinite(largest_deviation(one, -one, lone)[0])
    assert not math.isfinite(per_token(lone, one)[0])
    assert not math.isfinite(per_sequence(lone, one)[0])


def test_answers_without_a_token_have_no_kl_per_token() -> None:
    assert math.isnan(per_token(np.array([0.0]), np.array([0.0]))[0])


def test_the_share_at_the_limit_is_told_only_where_lengths_prove_it() -> None:
    longest = np.array([30.0, 64.0, np.nan])
    assert _share([20.0, 64.0], [30.0, 64.0]) == [0.0, 1.0]
    assert _share([20.0, 63.0], [30.0, 64.0]) is None
    assert _share([70.0], [70.0]) is None
    assert np.array_equal([0.0, 1.0, np.nan], _share([20.0, 64.0, 20.0], longest.tolist()) or [], equal_nan=True)


def _share(mean: list[float], longest: list[float]) -> list[float] | None:
    found = cut_off_share(np.array(mean), np.array(longest), 64.0)
    return None if found is None else found.tolist()


def test_an_old_ppo_run_logs_what_the_kl_per_token_is_derived_to_be() -> None:
    kl, length, penalty, coefficient = values(
        open_run(OLD_PPO), "kl_per_sequence", "length_mean", "non_score_reward_per_token", "kl_coef"
    )
    assert per_token(kl, length) == pytest.approx(-penalty / coefficient, rel=1e-5)
    assert per_sequence(-penalty / coefficient, length) == pytest.approx(kl, rel=1e-5)


def test_the_surprise_of_samples_over_their_length_is_near_the_logged_entropy() -> None:
    surprise, length, entropy = values(open_run(PPO), "entropy_per_sequence", "length_mean", "entropy_per_token")
    assert np.median(per_token(surprise, length) / entropy) == pytest.approx(1.0, abs=0.05)


def test_every_answer_was_cut_off_where_the_mean_length_is_the_limit() -> None:
    mean, longest, logged = values(open_run(COLLAPSED), "length_mean", "length_max", "truncated_fraction")
    is_full = mean == longest.max()
    share = cut_off_share(mean[is_full], longest[is_full], longest.max())
    assert share is not None
    assert logged[is_full].tolist() == share.tolist() == [1.0] * 21


def test_advantages_that_are_all_zero_to_the_end_come_from_groups_without_a_signal() -> None:
    found = without_signal(np.array([-1.0, 0.0, 0.0]), np.array([1.0, 0.0, 0.0]))
    assert np.array_equal([math.nan, 1.0, 1.0], found, equal_nan=True)


@pytest.mark.parametrize(
    ("lowest", "highest"), [([0.0, -1.0], [0.0, 1.0]), ([0.0, 0.0], [0.1, 0.1]), ([math.nan], [math.nan]), ([], [])]
)
def test_one_group_with_a_signal_hides_how_many_have_none(lowest: list[float], highest: list[float]) -> None:
    assert without_signal(np.array(lowest), np.array(highest)) is None


def test_a_share_is_none_where_the_part_is_larger_than_the_whole() -> None:
    found = share_of(np.array([1.0, 5.0]), np.array([4.0, 5.0]))
    assert found is not None
    assert found.tolist() == [0.25, 1.0]
    assert share_of(np.array([1.0, 5.1]), np.array([4.0, 5.0])) is None


def test_nothing_is_processed_in_no_time() -> None:
    assert rate(np.array([100.0]), np.array([4.0])).tolist() == [25.0]
    assert math.isnan(rate(np.array([100.0]), np.array([0.0]))[0])


def test_the_dropped_share_is_of_what_was_finished() -> None:
    assert dropped_share(np.array([1.0, 0.0, 0.0]), np.array([3.0, 4.0, 0.0])).tolist()[:2] == [0.25, 0.0]
    assert np.isnan(dropped_share(np.array([0.0]), np.array([0.0]))).all()


def test_a_count_since_the_start_is_taken_apart() -> None:
    share = dropped_share_of_total(np.array([2.0, 3.0, 3.0, 1.0]), np.array([1.0, 3.0, 4.0, 3.0]))
    assert share.tolist()[1:3] == [0.25, 0.0]
    assert np.isnan(share[[0, 3]]).all()


def test_rewards_without_a_spread_say_how_many_groups_have_no_signal_at_least() -> None:
    spread, silent = values(open_run(COLLAPSED), "reward_std", "zero_std_fraction")
    least = without_spread(spread)
    assert least is not None
    assert (least <= silent).all()
    assert least[silent == 1].all()
    assert without_spread(np.array([0.1, 0.2])) is None
    assert np.array_equal([1.0, 0.0, np.nan], without_spread(np.array([0.0, 0.3, np.nan])), equal_nan=True)
