"""Tests of growth: Theil and Sen's line with its interval, and what counts as steady."""

import numpy as np
import pytest

from diagnostics.detectors.arrays import Values
from diagnostics.detectors.growth import growth, is_steady
from tests.pace import cpu_seconds_below

STEPS = np.arange(200, dtype=np.int64)


def noise(seed: int, points: int = 200, deviation: float = 0.5) -> Values:
    return np.random.default_rng(seed).normal(0, deviation, points)


def test_a_line_without_noise_is_found_exactly() -> None:
    found = growth(STEPS, 10 + 0.25 * STEPS)
    assert found is not None
    assert (found.likely.slope, found.slowest.slope, found.fastest.slope) == pytest.approx((0.25, 0.25, 0.25))
    assert found.likely.level == pytest.approx(10 + 0.25 * 199)
    assert found.likely.reaches(100) == pytest.approx(360)


def test_the_interval_holds_the_true_slope_in_most_of_many_noisy_series() -> None:
    true, held = 0.02, 0
    for seed in range(200):
        found = growth(STEPS, 5 + true * STEPS + noise(seed))
        assert found is not None
        assert found.slowest.slope <= found.likely.slope <= found.fastest.slope
        held += found.slowest.slope <= true <= found.fastest.slope
    assert held >= 180


def test_the_step_of_the_limit_lies_between_the_fastest_and_the_slowest_line() -> None:
    found = growth(STEPS, 20 + 0.1 * STEPS + noise(1))
    assert found is not None
    reached = [line.reaches(80) for line in (found.fastest, found.likely, found.slowest)]
    assert reached == sorted(reached)
    assert reached[0] <= 600 <= reached[2]


def test_outliers_do_not_turn_the_line() -> None:
    values = 10 + 0.1 * STEPS
    values[::20] += 300
    found = growth(STEPS, values)
    assert found is not None
    assert found.likely.slope == pytest.approx(0.1, rel=0.05)


def test_steps_that_were_not_logged_keep_their_width() -> None:
    values = 10 + 0.25 * STEPS
    values[50:120] = np.nan
    found = growth(STEPS, values)
    assert found is not None
    assert found.likely.slope == pytest.approx(0.25)


def test_a_line_that_does_not_rise_reaches_nothing() -> None:
    found = growth(STEPS, 10.0 - 0.1 * STEPS)
    assert found is not None
    assert found.likely.reaches(20) == np.inf
    assert growth(STEPS[:9], 1.0 * STEPS[:9]) is None


def test_a_limit_that_is_passed_is_reached_now() -> None:
    found = growth(STEPS, 10 + 0.25 * STEPS)
    assert found is not None
    assert found.likely.reaches(20) == 199


def test_a_long_series_is_judged_in_bounded_time() -> None:
    steps = np.arange(200_000, dtype=np.int64)
    with cpu_seconds_below(1.0):
        growth(steps, 1e-4 * steps + noise(2, len(steps)))


@pytest.mark.parametrize("seed", range(5))
def test_a_leak_is_steady(seed: int) -> None:
    assert is_steady(10 + 0.1 * STEPS + noise(seed))
    saw = 2.0 * (STEPS % 20)
    assert is_steady(10 + 0.5 * STEPS + saw + noise(seed))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    ("name", "clean"),
    [
        ("flat", np.full(200, 40.0)),
        ("a jump at the start", np.where(STEPS < 10, 10.0, 40.0)),
        ("a jump in the middle", np.where(STEPS < 100, 20.0, 40.0)),
        ("a sawtooth", 20.0 + STEPS % 25),
        ("a sawtooth of two teeth and a half", 20.0 + STEPS % 80),
        ("spikes at evaluations", np.where(STEPS % 25 == 24, 60.0, 20.0)),
        ("a cache that fills up", 40.0 - 20.0 * np.exp(-STEPS / 15)),
    ],
)
def test_what_does_not_climb_is_not_steady(name: str, clean: Values, seed: int) -> None:
    assert not is_steady(clean + noise(seed)), name


def test_the_largest_so_far_of_what_only_wavers_is_not_steady() -> None:
    found = [is_steady(np.maximum.accumulate(40 + noise(seed, deviation=3.0))) for seed in range(40)]
    assert sum(found) <= 2


def test_values_that_are_no_numbers_are_left_out() -> None:
    values = 10 + 0.1 * STEPS
    values[::7] = np.nan
    values[3] = -np.inf
    assert is_steady(values)
    assert not is_steady(values[:5])


def test_of_plain_noise_one_series_in_720_is_steady() -> None:
    assert sum(is_steady(noise(seed, points=60)) for seed in range(2000)) <= 10
