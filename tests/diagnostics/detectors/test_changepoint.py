"""Tests of breaks: a level that is left at once, and what only looks like it."""

import numpy as np
import pytest

from diagnostics.detectors.arrays import Values
from diagnostics.detectors.changepoint import Break, find_breaks, widest_break
from tests.diagnostics.conftest import values_of


def breaks(values: Values) -> list[Break]:
    """Those of a series that is logged at steps 1, 2, …"""
    return find_breaks(np.arange(1, len(values) + 1), values)


def test_a_level_that_is_left_at_once_is_a_break() -> None:
    (found,) = breaks(values_of("1x5 3x5"))
    assert found == Break(step=6, before=1.0, after=3.0)
    assert (found.rose, found.fell) == (True, False)


@pytest.mark.parametrize("values", ["1x4 3x9", "1x9 3x4", "1x20", "1x10 3x1 1x10", "1..3x20", "1x9 1..3x9 3x9"])
def test_too_few_points_a_spike_and_a_slope_are_none(values: str) -> None:
    assert breaks(values_of(values)) == []


def test_noise_is_none() -> None:
    draws = np.random.default_rng(5).normal(size=(200, 45))
    assert sum(bool(breaks(values)) for values in draws) <= 4


def test_nan_is_left_out() -> None:
    (found,) = breaks(values_of("1x5 nanx3 3x5"))
    assert found.step == 9


def test_the_widest_of_two_is_found() -> None:
    values = values_of("1x10 2x10 9x10")
    assert [found.step for found in breaks(values)] == [11, 21]
    widest = widest_break(np.arange(1, 31), values)
    assert widest is not None
    assert widest.step == 21
    assert widest_break(np.arange(1, 31), np.ones(30)) is None
