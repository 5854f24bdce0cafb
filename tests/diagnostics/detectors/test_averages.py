"""Tests of averages: over a whole series, at its ends, and smoothed."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from diagnostics.detectors.arrays import Values
from diagnostics.detectors.averages import (
    ewma,
    finite_median,
    finite_points,
    latest_ewma,
    latest_finite,
    latest_value,
    median,
    start_level,
)

NAN, INF = float("nan"), float("inf")
ODD = st.sampled_from([0.0, -0.0, 1.0, -1.0, 0.1, 3e7, NAN, INF])


def test_the_smoothed_mean_is_unknown_until_it_has_settled_and_behind_a_nan() -> None:
    means = ewma(np.array([2.0] * 12 + [NAN] + [4.0] * 12))
    assert np.isnan(means[:9]).all()
    assert np.isnan(means[12:22]).all()
    np.testing.assert_allclose(means[9:12], 2.0)
    np.testing.assert_allclose(means[22:], 4.0)


@settings(max_examples=60, deadline=None)
@given(hnp.arrays(np.float64, st.integers(0, 90), elements=ODD))
def test_the_smoothed_mean_is_that_of_its_recurrence(values: Values) -> None:
    np.testing.assert_array_equal(ewma(values), by_recurrence(values))


def test_the_smoothed_mean_of_a_long_series_is_that_of_its_recurrence() -> None:
    values = np.random.default_rng(0).normal(size=3000)
    np.testing.assert_array_equal(ewma(values), by_recurrence(values))


def by_recurrence(values: Values) -> list[float]:
    """The definition of the smoothed mean, point by point."""
    means, total, weight, known = [], 0.0, 0.0, 0
    for value in values.tolist():
        if math.isfinite(value):
            total, weight, known = 0.9 * total + 0.1 * value, 0.9 * weight + 0.1, known + 1
        else:
            total, weight, known = 0.0, 0.0, 0
        means.append(total / weight if known >= 10 else NAN)
    return means


def test_the_start_is_the_median_of_the_first_known_points() -> None:
    assert start_level(np.array([NAN, 1, INF, 3, 5, 90]), points=3) == 3.0
    assert start_level(np.array([9.0, 9, 1, 3]), warm_up=2) == 2.0
    assert np.isnan(start_level(np.array([NAN, INF])))


@pytest.mark.parametrize(
    ("values", "median"), [([3.0, NAN, 1.0, INF, 2.0], 2.0), ([1.0, 2.0], 1.5), ([NAN, INF], NAN), ([], NAN)]
)
def test_the_median_is_that_of_the_finite_values(values: list[float], median: float) -> None:
    np.testing.assert_equal(finite_median(np.array(values)), median)


def test_the_latest_value_is_the_last_finite_one() -> None:
    assert latest_value(np.array([1.0, 2.0, NAN, INF])) == 2.0
    assert np.isnan(latest_value(np.array([NAN])))


def test_the_latest_finite_values_are_found_behind_any_number_of_others() -> None:
    values = np.concatenate([[1.0, 2.0, 3.0], np.full(200, NAN)])
    assert latest_finite(values, 2).tolist() == [2.0, 3.0]
    assert latest_finite(values, 9).tolist() == [1.0, 2.0, 3.0]
    assert finite_points(values) == 3


@pytest.mark.parametrize("gap", [None, 500, 2600, 2995])
def test_the_latest_mean_is_the_last_of_all_means(gap: int | None) -> None:
    values = np.random.default_rng(0).normal(size=3000)
    if gap is not None:
        values[gap] = np.nan
    assert latest_ewma(values) == pytest.approx(latest_value(ewma(values)), rel=1e-12)


@given(hnp.arrays(np.float64, st.integers(1, 40), elements=st.floats(-1e300, 1e300)))
def test_the_median_is_that_of_numpy(values: Values) -> None:
    assert median(values) == float(np.median(values))
