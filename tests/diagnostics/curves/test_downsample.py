"""Downsampling keeps every piece of evidence and stays bounded otherwise."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from diagnostics.curves.downsample import downsample

COLUMNS = 16
ANY_VALUES = arrays.arrays(np.float64, st.integers(0, 400), elements=st.floats(width=64))


def runs_of_nan(values: np.ndarray) -> int:
    is_nan = np.isnan(values)
    return int(is_nan[:1].sum() + (is_nan[1:] & ~is_nan[:-1]).sum())


@given(ANY_VALUES)
def test_the_smallest_and_the_largest_number_stay(values: np.ndarray) -> None:
    numbers, drawn = values[np.isfinite(values)], values[downsample(values, COLUMNS)]
    drawn = drawn[np.isfinite(drawn)]
    if len(numbers):
        assert (numbers.min(), numbers.max()) == (drawn.min(), drawn.max())


@given(ANY_VALUES)
def test_every_run_of_nan_and_every_infinity_stays(values: np.ndarray) -> None:
    drawn = values[downsample(values, COLUMNS)]
    assert runs_of_nan(values) == runs_of_nan(drawn)
    assert np.isinf(values).sum() == np.isinf(drawn).sum()


@given(ANY_VALUES)
def test_the_first_and_the_last_point_stay_and_the_order_too(values: np.ndarray) -> None:
    indices = downsample(values, COLUMNS)
    assert bool((np.diff(indices) > 0).all())
    if len(values):
        assert (0, len(values) - 1) == (indices[0], indices[-1])


@given(ANY_VALUES)
def test_what_is_drawn_is_bounded(values: np.ndarray) -> None:
    bound = 2 * COLUMNS + 2 + 4 * runs_of_nan(values) + int(np.isinf(values).sum())
    assert len(downsample(values, COLUMNS)) <= bound


def test_a_spike_of_one_step_survives_wherever_it_stands() -> None:
    for place in range(0, 20_000, 997):
        values = np.full(20_000, 0.02)
        values[place] = 9.0
        assert place in downsample(values)


def test_one_number_between_two_runs_of_nan_keeps_them_apart() -> None:
    values = np.concatenate([np.arange(40.0), [np.nan, 20.0, np.nan], np.arange(40.0)])
    assert 41 in downsample(values, columns=4)


def test_a_short_series_is_drawn_whole() -> None:
    assert list(range(2 * COLUMNS)) == list(downsample(np.arange(2.0 * COLUMNS), COLUMNS))
