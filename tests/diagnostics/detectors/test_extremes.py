"""Tests of the highest and lowest values of a series."""

import numpy as np
import pytest

from diagnostics.detectors.extremes import drawdown, extreme, extreme_so_far, finite_range, index_of_extreme

NAN, INF = float("nan"), float("inf")


def test_the_drawdown_remembers_the_best_over_a_gap() -> None:
    np.testing.assert_array_equal([NAN, 0, 0, NAN, 3], drawdown(np.array([NAN, 1, 4, NAN, 1])))


def test_the_highest_and_the_lowest_so_far_ignore_a_gap() -> None:
    values = np.array([NAN, 1, 4, NAN, 1])
    np.testing.assert_array_equal([NAN, 1, 4, 4, 4], extreme_so_far(values))
    np.testing.assert_array_equal([NAN, 1, 1, 1, 1], extreme_so_far(values, highest=False))
    assert len(extreme_so_far(np.empty(0))) == 0


@pytest.mark.parametrize(("highest", "value", "index"), [(True, INF, 3), (False, -2.0, 2)])
def test_an_extreme_is_the_first_of_its_kind(highest: bool, value: float, index: int) -> None:
    values = np.array([NAN, 1.0, -2.0, INF, INF, -2.0])
    assert (extreme(values, highest=highest), index_of_extreme(values, highest=highest)) == (value, index)


def test_without_a_number_there_is_no_extreme() -> None:
    assert np.isnan(extreme(np.array([NAN])))
    with pytest.raises(ValueError, match="All-NaN"):
        index_of_extreme(np.array([NAN]))


def test_the_range_is_that_of_the_finite_values() -> None:
    assert finite_range(np.array([NAN, 3.0, INF, -1.0, -INF])) == (-1.0, 3.0)
    assert np.isnan(finite_range(np.array([INF]))).all()
