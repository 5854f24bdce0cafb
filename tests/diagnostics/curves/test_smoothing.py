"""Smoothing looks back alone, and not beyond a value that is no number."""

import numpy as np

from diagnostics.curves.smoothing import trailing_mean

NAN, INF = np.nan, np.inf


def test_a_mean_is_of_the_points_up_to_it() -> None:
    assert list(trailing_mean(np.array([1.0, 2.0, 3.0, 4.0, 5.0]), 3)) == [1.0, 1.5, 2.0, 3.0, 4.0]


def test_a_later_point_changes_no_earlier_mean() -> None:
    values = np.sin(np.arange(50.0))
    spiked = np.append(values, 1e9)
    assert list(trailing_mean(values, 7)) == list(trailing_mean(spiked, 7)[:-1])


def test_nothing_is_carried_across_a_value_that_is_no_number() -> None:
    smoothed = trailing_mean(np.array([4.0, 6.0, NAN, 1.0, 3.0, INF, 8.0]), 5)
    np.testing.assert_array_equal([4.0, 5.0, NAN, 1.0, 2.0, INF, 8.0], smoothed)


def test_an_enormous_point_leaves_no_trace_once_it_is_past() -> None:
    assert trailing_mean(np.array([1e300, 1.0, 1.0, 1.0]), 2)[-1] == 1.0


def test_no_points_and_a_width_of_one_are_left_alone() -> None:
    assert list(trailing_mean(np.empty(0), 5)) == []
    assert list(trailing_mean(np.array([3.0, 5.0]), 1)) == [3.0, 5.0]
