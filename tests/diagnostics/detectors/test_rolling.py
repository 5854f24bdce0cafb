"""Tests of rolling windows, on series whose answer is known."""

import numpy as np
import pytest

from diagnostics.detectors.rolling import (
    baseline,
    points_before_baseline,
    reached_by,
    robust_z,
    rolling_median,
    rolling_minimum,
    sustained_level,
    times_own_past,
    without_warm_up,
)

NAN = float("nan")
INF = float("inf")


def test_the_median_of_five_ignores_two_spikes() -> None:
    medians = rolling_median(np.array([1.0, 1, 90, 1, 90, 1, 1]))
    np.testing.assert_array_equal([NAN, NAN, NAN, NAN, 1, 1, 1], medians)


def test_the_median_is_unknown_wherever_its_window_holds_a_nan() -> None:
    medians = rolling_median(np.array([1.0, 1, NAN, 1, 1, 1, 1, 1]))
    np.testing.assert_array_equal([NAN] * 7 + [1], medians)


def test_infinity_is_a_very_large_number() -> None:
    assert rolling_median(np.array([1.0, 1, INF, INF, INF]))[-1] == INF


def test_a_baseline_does_not_see_the_latest_points() -> None:
    medians = baseline(np.array([1.0, 1, 1, 9, 9]), window=3, shift=2, least=1)
    np.testing.assert_array_equal([NAN, NAN, 1, 1, 1], medians)


def test_a_baseline_needs_its_fewest_points() -> None:
    medians = baseline(np.array([1.0, NAN, 3, 3, 3]), window=4, shift=1, least=2)
    np.testing.assert_array_equal([NAN, NAN, NAN, 2, 3], medians)


@pytest.mark.parametrize(("shift", "least"), [(0, 1), (1, 20), (2, 5), (5, 20)])
def test_it_is_known_how_many_first_points_have_no_baseline(shift: int, least: int) -> None:
    values = np.arange(1.0, 101.0)
    compared = values / baseline(values, 50, shift, least)
    for judged, smooth in ((compared, False), (rolling_median(compared), True)):
        assert points_before_baseline(shift, least, smooth=smooth) == np.isnan(judged).argmin()


def test_a_sustained_value_is_the_least_of_its_window() -> None:
    np.testing.assert_array_equal([NAN, 2, 1], sustained_level(np.array([3.0, 2, 1]), 2))
    np.testing.assert_array_equal([NAN, 3, 2], sustained_level(np.array([3.0, 2, 1]), 2, above=False))


def test_windows_beyond_one_chunk_are_the_same_windows() -> None:
    values = np.random.default_rng(5).normal(size=10_000)
    medians = rolling_median(values, 21)
    assert [float(np.median(values[at - 20 : at + 1])) for at in (20, 4116, 9_999)] == medians[
        [20, 4116, 9_999]
    ].tolist()
    bases = baseline(values, 50, 5, 20)
    assert [float(np.median(values[at - 54 : at - 4])) for at in (4150, 9_999)] == bases[[4150, 9_999]].tolist()


def test_a_robust_z_counts_deviations_from_the_points_before() -> None:
    before = np.array([1.0, 2, 3, 4, 5])  # median 3, median absolute deviation 1
    scores = robust_z(np.append(before, 3 + 2 * 1.4826), window=5, least=5, floor=0.0)
    assert np.isnan(scores[:5]).all()
    assert pytest.approx(2.0) == scores[5]


def test_a_constant_metric_has_the_floor_for_a_deviation() -> None:
    assert pytest.approx(2.0) == robust_z(np.array([1.0] * 9 + [1.1]), window=9, least=5, floor=0.05)[9]


def test_a_robust_z_leaves_out_what_is_not_finite() -> None:
    scores = robust_z(np.array([1.0, NAN, 2, INF, 3, 4, 5, NAN, 3]), window=8, least=5, floor=0.1)
    assert np.isnan(scores[7])
    assert scores[8] == 0.0


def test_two_of_three_reach_what_the_second_largest_reached() -> None:
    np.testing.assert_array_equal([NAN, NAN, 5, 5, NAN], reached_by(np.array([1.0, 5, 9, 1, NAN]), 2, 3))


def test_a_past_of_zero_makes_nothing_infinite() -> None:
    times, base = times_own_past(np.array([0.0] * 9 + [1.0]), window=5, shift=1, least=3, smallest=0.5)
    assert (times[-1], base[-1]) == (2.0, 0.5)


def test_a_warm_up_is_known_to_nobody() -> None:
    np.testing.assert_array_equal([NAN, NAN, 3.0], without_warm_up(np.array([1.0, 2.0, 3.0]), 2))
    np.testing.assert_array_equal([NAN], without_warm_up(np.array([1.0]), 2))


def test_the_rolling_minimum_leaves_out_what_is_not_known() -> None:
    np.testing.assert_array_equal([NAN, 3, 2, 2, 4], rolling_minimum(np.array([NAN, 3, 2, NAN, 4]), 2))
