"""Tests of trends, on series whose slope is known and on noise that has none."""

import numpy as np
import pytest

from diagnostics.detectors.arrays import Steps, Values
from diagnostics.detectors.trend import lasting_slope, trend

NAN = float("nan")


def steps(values: Values) -> Steps:
    return np.arange(len(values), dtype=np.int64)


def autoregressive(seed: int, points: int, phi: float) -> Values:
    generator = np.random.default_rng(seed)
    values = np.zeros(points)
    for index in range(1, points):
        values[index] = phi * values[index - 1] + generator.normal()
    return values


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


def test_a_trend_is_kept_where_both_windows_show_it() -> None:
    rising, turned = np.arange(40.0), np.concatenate([np.arange(30.0)[::-1], np.arange(10.0)])
    assert pytest.approx(1.0) == lasting_slope(steps(rising), rising, 30, 10, 0.01)
    assert lasting_slope(steps(turned), turned, 20, 20, 0.01) == 0.0
    assert lasting_slope(steps(np.ones(40)), np.ones(40), 30, 10, 0.01) == 0.0


def test_the_trend_of_a_long_run_is_that_of_means_of_neighbours() -> None:
    steps = np.arange(20_000)
    noise: Values = np.random.default_rng(0).normal(size=20_000)
    rising, level = trend(steps, 1e-4 * steps + noise), trend(steps, noise)
    assert rising is not None
    assert level is not None
    assert rising.slope == pytest.approx(1e-4, rel=0.05)
    assert rising.p < 1e-6
    assert level.p > 0.01
