"""Tests of series side by side."""

import numpy as np

from diagnostics.model.alignment import at_common_steps, finite_only, last_known, values_between
from diagnostics.model.series import Series

NAN = float("nan")


def series(steps: list[int], values: list[float]) -> Series:
    return Series("reward", "reward", np.array(steps, dtype=np.int64), np.array(values))


def test_only_steps_that_all_log_are_compared() -> None:
    left, right = at_common_steps(series([1, 2, 4], [1, 2, 4]), series([2, 3, 4], [20, 30, 40]))
    assert (left.steps.tolist(), left.values.tolist(), right.values.tolist()) == ([2, 4], [2, 4], [20, 40])


def test_series_of_the_same_steps_are_left_as_they_are() -> None:
    both = series([1, 2], [1, NAN]), series([1, 2], [3, 4])
    assert at_common_steps(*both) == both


def test_what_was_last_known_is_unknown_before_the_first_point() -> None:
    steps = np.array([1, 2, 3, 4, 9], dtype=np.int64)
    np.testing.assert_array_equal([NAN, 5, 5, 7, 7], last_known(series([2, 4], [5, 7]), steps))


def test_infinity_is_not_known_where_numbers_are_added() -> None:
    np.testing.assert_array_equal([1, NAN, NAN], finite_only(series([1, 2, 3], [1, float("inf"), NAN])).values)


def test_three_series_are_compared_at_the_steps_of_all_of_them() -> None:
    aligned = at_common_steps(series([1, 2, 3], [1, 2, 3]), series([2, 3, 9], [4, 5, 6]), series([3], [7]))
    assert [item.values.tolist() for item in aligned] == [[3], [5], [7]]


def test_series_that_share_no_step_have_nothing_in_common() -> None:
    assert [len(item) for item in at_common_steps(series([1, 2], [1, 2]), series([], []))] == [0, 0]


def test_the_values_between_two_steps_are_those_of_both_and_all_between() -> None:
    assert values_between(series([1, 4, 6, 9], [1, 4, 6, 9]), 4, 6).tolist() == [4, 6]
