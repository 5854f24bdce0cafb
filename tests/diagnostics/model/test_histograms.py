"""Tests of histograms over steps: what is one, and which shares of the values lie where."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnostics.model.histograms import Histogram

SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)


@pytest.mark.parametrize(
    ("edges", "counts"),
    [
        ([0.0, 1.0], [1.0, 2.0]),
        ([0.0], []),
        ([], [1.0]),
        ([1.0, 0.0], [1.0]),
        ([0.0, 1.0], [-1.0]),
        ([0.0, math.inf], [1.0]),
        ([0.0, 1.0], [math.nan]),
    ],
)
def test_what_is_no_histogram_is_refused(edges: list[float], counts: list[float]) -> None:
    with pytest.raises(ValueError, match=r"edge|count"):
        Histogram.of(edges, counts)


@pytest.mark.parametrize(
    "row", [{}, {"edges": [0, 1]}, {"edges": "ab", "counts": [1]}, {"edges": None, "counts": None}]
)
def test_a_row_that_holds_no_histogram_is_refused(row: dict[str, Any]) -> None:
    with pytest.raises((ValueError, TypeError, KeyError)):
        Histogram.of_row(row)


def test_a_row_says_what_was_no_number() -> None:
    bins = Histogram.of_row({"edges": [0, 1], "counts": [4], "nan": 2, "-inf": 1})
    assert (bins.nan, bins.inf, bins.minus_inf, bins.not_finite) == (2, 0, 1, 3)


def test_values_are_evenly_spread_within_a_bin() -> None:
    assert Histogram.of([0, 4], [8]).quantiles(SHARES).tolist() == [0, 1, 2, 3, 4]


def test_an_empty_bin_is_jumped_over() -> None:
    bins = Histogram.of([0, 1, 9, 10], [2, 0, 2])
    assert bins.quantiles((0.0, 0.25, 0.5, 0.75, 1.0)).tolist() == [0, 0.5, 1, 9.5, 10]


def test_the_ends_are_the_smallest_and_the_largest_value() -> None:
    assert Histogram.of([0, 1, 2, 3], [0, 5, 0]).quantiles((0.0, 1.0)).tolist() == [1, 2]


def test_equal_values_lie_at_one_place() -> None:
    assert Histogram.of([2.5, 2.5], [7]).quantiles(SHARES).tolist() == [2.5] * 5


def test_without_a_value_there_is_no_quantile() -> None:
    assert np.isnan(Histogram.of([], [], nan=3).quantiles(SHARES)).all()
    assert np.isnan(Histogram.of([0, 1], [0]).quantiles(SHARES)).all()


VALUES = st.floats(-1e6, 1e6).map(lambda value: round(value, 3))  # numpy bins no range narrower than its precision


@given(st.lists(VALUES, min_size=1, max_size=60))
def test_a_quantile_of_the_bins_is_within_a_bin_of_that_of_the_values(values: list[float]) -> None:
    counts, edges = np.histogram(values, bins=32)
    found = Histogram.of(edges, counts).quantiles(SHARES)
    true = np.quantile(values, SHARES, method="inverted_cdf")
    width = edges[1] - edges[0]
    assert (np.diff(found) >= -1e-9 * max(1.0, abs(edges).max())).all()
    assert (np.abs(found[[0, 4]] - true[[0, 4]]) <= width * (1 + 1e-9)).all()
    assert (found[1:4] >= true[1:4] - width * (1 + 1e-9)).all()
