"""Tests of running numbers: what they know of the points so far, and what they do about a hole."""

import numpy as np

from diagnostics.detectors.running import after, drawdown, ewma, extreme_so_far

NAN = np.nan


def test_the_smoothed_mean_is_unknown_until_it_has_settled_and_behind_a_nan() -> None:
    means = ewma(np.array([2.0] * 12 + [NAN] + [4.0] * 12))
    assert np.isnan(means[:9]).all()
    assert np.isnan(means[12:22]).all()
    np.testing.assert_allclose(means[9:12], 2.0)
    np.testing.assert_allclose(means[22:], 4.0)


def test_the_drawdown_remembers_the_best_over_a_gap() -> None:
    np.testing.assert_array_equal([NAN, 0, 0, NAN, 3], drawdown(np.array([NAN, 1, 4, NAN, 1])))


def test_the_highest_and_the_lowest_so_far_ignore_a_gap() -> None:
    values = np.array([NAN, 1, 4, NAN, 1])
    np.testing.assert_array_equal([NAN, 1, 4, 4, 4], extreme_so_far(values))
    np.testing.assert_array_equal([NAN, 1, 1, 1, 1], extreme_so_far(values, highest=False))
    assert len(extreme_so_far(np.empty(0))) == 0


def test_a_warm_up_is_known_to_nobody() -> None:
    np.testing.assert_array_equal([NAN, NAN, 3.0], after(np.array([1.0, 2.0, 3.0]), 2))
    np.testing.assert_array_equal([NAN], after(np.array([1.0]), 2))
