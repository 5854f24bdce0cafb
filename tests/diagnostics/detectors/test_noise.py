"""Tests of the noise of a series, and of the standard errors that follow from it."""

from itertools import accumulate

import numpy as np
import pytest
from hypothesis import strategies as st

from diagnostics.detectors.averages import ewma
from diagnostics.detectors.noise import MOST_PHI, Noise, estimate_noise, stable_length
from diagnostics.model.series import Values

VALUES = st.sampled_from([0.0, -0.0, 1.0, -1.0, 0.1, 3e7, 1e-9, 1e200, float("nan"), float("inf"), float("-inf")])


def autoregressive(points: int, phi: float, seed: int = 0) -> Values:
    """Of variance 1, from its first point on."""
    shocks = np.random.default_rng(seed).normal(size=points)
    shocks[1:] *= np.sqrt(1 - phi**2)
    return np.array(list(accumulate(shocks.tolist(), lambda last, shock: phi * last + shock)))


def test_a_slow_change_is_no_noise() -> None:
    values = np.linspace(0, 10, 200) + np.random.default_rng(0).normal(scale=0.1, size=200)
    found = estimate_noise(values)
    assert pytest.approx(found.deviation, rel=0.2) == 0.1
    assert found.phi < 0.5


@pytest.mark.parametrize("phi", [0.0, 0.5, 0.8, 0.9])
def test_the_autocorrelation_is_bounded_from_above(phi: float) -> None:
    found = [estimate_noise(autoregressive(500, phi, seed)).phi for seed in range(40)]
    assert np.mean(np.array(found) >= phi) >= 0.9
    assert np.median(found) < min(phi + 0.2, MOST_PHI + 1e-9)


@pytest.mark.parametrize("phi", [0.0, 0.7])
def test_the_error_of_a_mean_is_the_deviation_of_means(phi: float) -> None:
    drawn = [autoregressive(40, phi, seed) for seed in range(2000)]
    assert pytest.approx(Noise(1.0, phi).error_of_mean(40), rel=0.05) == np.std([values.mean() for values in drawn])
    settled = [ewma(autoregressive(80, phi, seed))[-1] for seed in range(1000)]
    assert pytest.approx(Noise(1.0, phi).error_of_ewma, rel=0.08) == np.std(settled)
    assert Noise(1.0, phi).error_of_mean(1) == pytest.approx(1.0)


def test_a_level_run_seldom_leaves_the_range_of_its_noise() -> None:
    levels = [ewma(autoregressive(300, 0.9, seed)) for seed in range(100)]
    assert np.mean([np.nanmax(means) - np.nanmin(means) for means in levels]) < Noise(1.0, 0.9).range_of_ewma(300)


def test_levels_left_at_once_and_outliers_are_no_noise() -> None:
    calm = autoregressive(100, 0.0)
    for disturbed in (calm + np.repeat([0, 30, 0], [30, 40, 30]), calm + 50 * (np.arange(100) == 60)):
        assert estimate_noise(disturbed).deviation < 1.3 * estimate_noise(calm).deviation


def test_noise_around_a_high_level_is_as_large_as_around_a_low_one() -> None:
    values = np.random.default_rng(0).exponential(size=2000)
    assert pytest.approx(estimate_noise(values).deviation, rel=1e-6) == estimate_noise(values + 1e6).deviation


def test_a_constant_has_no_noise_and_a_short_series_shows_none() -> None:
    assert estimate_noise(np.full(100, 0.3)).deviation == 0.0
    assert estimate_noise(np.arange(8.0) ** 2).deviation == 0.0


@pytest.mark.parametrize("points", [0, 1, 127, 128, 1000, 99_999, 100_000])
def test_a_stable_length_is_one_in_64_less_at_most(points: int) -> None:
    assert points - points / 64 <= stable_length(points) <= points
    assert stable_length(points) == points or points >= 128
