"""The points of a window lose no extreme and no gap, and are all of them once they fit."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from diagnostics.curves.window import points_in_window

COLUMNS = 8
ANY_VALUES = arrays.arrays(np.float64, st.integers(1, 300), elements=st.floats(width=64))
LONG = 100_000


def places_of(values: np.ndarray) -> np.ndarray:
    return np.arange(1.0, len(values) + 1)


def drawn_of_all(values: np.ndarray) -> np.ndarray:
    places = places_of(values)
    return points_in_window(places, values, places[0], places[-1], COLUMNS)


def columns_of(places: np.ndarray) -> np.ndarray:
    return np.minimum((places - places[0]) * COLUMNS // max(places[-1] - places[0], 1), COLUMNS - 1)


@given(ANY_VALUES)
def test_each_column_keeps_its_first_last_smallest_and_largest_number(values: np.ndarray) -> None:
    drawn, columns = drawn_of_all(values), columns_of(places_of(values))
    for column in np.unique(columns):
        logged = values[columns == column]
        kept = values[drawn[columns[drawn] == column]]
        logged, kept = logged[np.isfinite(logged)], kept[np.isfinite(kept)]
        if len(logged):
            assert (logged[0], logged[-1], logged.min(), logged.max()) == (kept[0], kept[-1], kept.min(), kept.max())


@given(ANY_VALUES)
def test_each_column_keeps_every_kind_of_non_finite_value(values: np.ndarray) -> None:
    drawn, columns = drawn_of_all(values), columns_of(places_of(values))
    for is_kind in (np.isnan, np.isposinf, np.isneginf):
        assert set(columns[is_kind(values)]) == set(columns[drawn[is_kind(values[drawn])]])


@given(ANY_VALUES)
def test_numbers_of_two_columns_with_a_gap_between_them_stay_apart(values: np.ndarray) -> None:
    drawn, columns = drawn_of_all(values), columns_of(places_of(values))
    for one, next_one in pairwise(drawn):
        are_joined = np.isfinite(values[one]) and np.isfinite(values[next_one])
        if are_joined and columns[one] != columns[next_one]:
            assert np.isfinite(values[one : next_one + 1]).all()


@given(ANY_VALUES)
def test_the_points_are_in_order_and_bounded(values: np.ndarray) -> None:
    drawn = drawn_of_all(values)
    assert bool((np.diff(drawn) > 0).all())
    assert len(drawn) <= 10 * COLUMNS + 2


def test_a_window_that_holds_few_points_shows_each_and_one_beside_it_on_either_side() -> None:
    values = np.arange(1000.0)
    assert list(range(98, 121)) == list(points_in_window(places_of(values), values, 100, 120, COLUMNS))


def test_a_window_beyond_the_series_or_between_two_points_shows_what_its_line_needs() -> None:
    places, values = np.array([1.0, 10.0, 20.0]), np.zeros(3)
    found = [list(points_in_window(places, values, *edges, COLUMNS)) for edges in ((12, 15), (30, 40), (-5, 0))]
    assert found == [[1, 2], [2], [0]]


def test_a_spike_of_one_step_is_drawn_at_every_zoom_that_holds_it() -> None:
    spikes = np.arange(500, LONG, 1000)
    values = np.full(LONG, 0.02)
    values[spikes] = 9.0
    places = places_of(values)
    for width in (LONG, 30_000, 3_000, 300):
        for first in range(0, LONG - width + 1, max(width, 10_000)):
            drawn = points_in_window(places, values, first + 1, first + width, 200)
            held = spikes[(spikes >= first) & (spikes < first + width)]
            assert set(held) <= set(drawn)


def test_points_that_share_a_place_are_all_in_the_running() -> None:
    places, values = np.repeat([1.0, 2.0], 500), np.zeros(1000)
    values[700] = 5.0
    assert 700 in points_in_window(places, values, 1.0, 2.0, COLUMNS)
    assert 700 in points_in_window(np.ones(1000), values, 1.0, 1.0, COLUMNS)


def test_a_series_without_points_has_none_in_any_window() -> None:
    assert list(points_in_window(np.empty(0), np.empty(0), 0.0, 1.0, COLUMNS)) == []
