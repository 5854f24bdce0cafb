"""Tests of the detectors, on series whose answer is known."""

import numpy as np
import pytest

from diagnostics.detectors.rolling import (
    Episode,
    baseline,
    episodes,
    keeps_trend,
    reached_by,
    robust_z,
    rolling_median,
    start_level,
    sustained,
    times_own_past,
    trend,
)
from diagnostics.model.series import Values

NAN = float("nan")
INF = float("inf")


def steps(values: Values) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.arange(len(values), dtype=np.int64)


def autoregressive(seed: int, points: int, phi: float) -> Values:
    generator = np.random.default_rng(seed)
    values = np.zeros(points)
    for index in range(1, points):
        values[index] = phi * values[index - 1] + generator.normal()
    return values


def test_the_median_of_five_ignores_two_spikes() -> None:
    medians = rolling_median(np.array([1.0, 1, 90, 1, 90, 1, 1]))
    np.testing.assert_array_equal([NAN, NAN, NAN, NAN, 1, 1, 1], medians)


def test_the_median_is_unknown_wherever_its_window_holds_a_nan() -> None:
    medians = rolling_median(np.array([1.0, 1, NAN, 1, 1, 1, 1, 1]))
    np.testing.assert_array_equal([NAN] * 7 + [1], medians)


def test_infinity_is_a_very_large_number() -> None:
    assert rolling_median(np.array([1.0, 1, INF, INF, INF]))[-1] == INF
    assert (Episode(1, 2, still=True),) == episodes(np.array([1.0, INF, INF]), 5.0, 2)


def test_a_baseline_does_not_see_the_latest_points() -> None:
    medians = baseline(np.array([1.0, 1, 1, 9, 9]), window=3, shift=2, least=1)
    np.testing.assert_array_equal([NAN, NAN, 1, 1, 1], medians)


def test_a_baseline_needs_its_fewest_points() -> None:
    medians = baseline(np.array([1.0, NAN, 3, 3, 3]), window=4, shift=1, least=2)
    np.testing.assert_array_equal([NAN, NAN, NAN, 2, 3], medians)


def test_a_sustained_value_is_the_least_of_its_window() -> None:
    np.testing.assert_array_equal([NAN, 2, 1], sustained(np.array([3.0, 2, 1]), 2))
    np.testing.assert_array_equal([NAN, 3, 2], sustained(np.array([3.0, 2, 1]), 2, above=False))


def test_an_episode_opens_at_the_patience_and_not_one_point_before() -> None:
    assert episodes(np.array([0.0, 1, 1, 0]), 1.0, 3) == ()
    assert (Episode(1, 3, still=True),) == episodes(np.array([0.0, 1, 1, 1]), 1.0, 3)


def test_a_series_that_touches_its_limit_again_and_again_is_one_episode() -> None:
    values = np.array([1.0, 1, 0, 0, 0, 1, 0, 0, 0, 1])
    assert (Episode(0, 9, still=True),) == episodes(values, 1.0, 2)


def test_an_episode_ends_after_twice_its_patience_of_calm() -> None:
    assert (Episode(0, 1, still=True),) == episodes(np.array([1.0, 1, 0, 0, 0]), 1.0, 2)
    assert (Episode(0, 1, still=False),) == episodes(np.array([1.0, 1, 0, 0, 0, 0]), 1.0, 2)


@pytest.mark.parametrize(
    ("limit", "above", "restless", "calm"),
    [(1.0, True, 0.81, 0.79), (1.0, False, 1.24, 1.26), (-1.0, False, -0.81, -0.79)],
)
def test_an_episode_goes_on_down_to_the_relaxed_limit(limit: float, above: bool, restless: float, calm: float) -> None:
    assert (Episode(0, 3, still=True),) == episodes(
        np.array([limit, restless, restless, restless]), limit, 1, above=above
    )
    assert (Episode(0, 0, still=False),) == episodes(np.array([limit, calm, calm]), limit, 1, above=above)


def test_a_streak_is_not_carried_over_a_nan() -> None:
    assert episodes(np.array([1.0, 1, NAN, 1, 1]), 1.0, 3) == ()


def test_an_open_episode_outlasts_a_nan_and_does_not_grow_over_it() -> None:
    assert (Episode(0, 1, still=True),) == episodes(np.array([1.0, 1, NAN, NAN, NAN, NAN, NAN]), 1.0, 2)
    assert (Episode(0, 1, still=False),) == episodes(np.array([1.0, 1, NAN, 0, 0, 0, 0]), 1.0, 2)


def test_a_straight_line_has_its_slope_and_no_doubt() -> None:
    values = 3.0 - 0.5 * np.arange(30)
    found = trend(steps(values), values)
    assert found is not None
    assert pytest.approx(found.slope) == -0.5
    assert found.p < 1e-6


def test_a_flat_series_has_no_trend() -> None:
    found = trend(steps(np.ones(30)), np.ones(30))
    assert found is not None
    assert (found.slope, found.p) == (0.0, 1.0)


def test_a_left_out_nan_keeps_the_width_of_its_gap() -> None:
    values = 2.0 * np.arange(30)
    values[10:20] = NAN
    found = trend(steps(values), values)
    assert found is not None
    assert pytest.approx(found.slope) == 2.0


def test_fewer_than_ten_points_have_no_trend() -> None:
    assert trend(steps(np.arange(9.0)), np.arange(9.0)) is None


def test_autocorrelated_noise_is_hardly_ever_a_trend() -> None:
    series = [autoregressive(seed, 100, phi=0.8) for seed in range(100)]
    found = [trend(steps(values), values) for values in series]
    assert sum(item is not None and item.p < 0.01 for item in found) <= 5


def test_few_points_of_noise_that_hangs_together_are_hardly_ever_a_trend() -> None:
    series = [autoregressive(seed, 50, phi=0.9) for seed in range(300)]
    found = [trend(steps(values), values) for values in series]
    assert sum(item is not None and item.p < 0.01 for item in found) <= 12


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


def test_the_start_is_the_median_of_the_first_known_points() -> None:
    assert start_level(np.array([NAN, 1, INF, 3, 5, 90]), points=3) == 3.0
    assert start_level(np.array([9.0, 9, 1, 3]), warm_up=2) == 2.0
    assert np.isnan(start_level(np.array([NAN, INF])))


def test_a_past_of_zero_makes_nothing_infinite() -> None:
    times, base = times_own_past(np.array([0.0] * 9 + [1.0]), window=5, shift=1, least=3, smallest=0.5)
    assert (times[-1], base[-1]) == (2.0, 0.5)


def test_a_trend_is_kept_where_both_windows_show_it() -> None:
    rising, turned = np.arange(40.0), np.concatenate([np.arange(30.0)[::-1], np.arange(10.0)])
    assert pytest.approx(1.0) == keeps_trend(steps(rising), rising, 30, 10, 0.01)
    assert keeps_trend(steps(turned), turned, 20, 20, 0.01) == 0.0
    assert keeps_trend(steps(np.ones(40)), np.ones(40), 30, 10, 0.01) == 0.0


def test_episodes_agree_with_a_walk_through_the_points() -> None:
    generator = np.random.default_rng(3)
    for _ in range(300):
        values = np.round(generator.normal(size=int(generator.integers(0, 40))), 1)
        values[generator.random(len(values)) < 0.1] = NAN
        limit, patience = float(np.round(generator.normal() / 2, 1)), int(generator.integers(1, 4))
        for above in (True, False):
            assert walked(values, limit, patience, above) == episodes(values, limit, patience, above=above)


def walked(values: Values, limit: float, patience: int, above: bool) -> tuple[Episode, ...]:
    """The definition of an episode, point by point."""
    bound = limit if above else -limit
    relaxed = 0.8 * bound if bound > 0 else bound / 0.8
    found: list[Episode] = []
    first, last, streak = -1, -1, 0
    for index, value in enumerate(values if above else -values):
        if np.isnan(value):
            streak = 0
        elif first < 0:
            streak = streak + 1 if value >= bound else 0
            if streak == patience:
                first, last, streak = index - patience + 1, index, 0
        elif value >= relaxed:
            last, streak = index, 0
        else:
            streak += 1
            if streak == 2 * patience:
                found.append(Episode(first, last, still=False))
                first, streak = -1, 0
    return (*found, Episode(first, last, still=True)) if first >= 0 else tuple(found)
