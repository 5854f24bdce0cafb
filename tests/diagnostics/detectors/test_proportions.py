"""Tests of what a few draws can prove."""

import math

import numpy as np
import pytest

from diagnostics.detectors.proportions import (
    lower_bound_of_correlation,
    lower_bound_of_geometric_mean,
    lower_bound_of_mean,
    lower_bound_of_share,
)


@pytest.mark.parametrize(("hits", "rows", "least"), [(10, 20, 0.2993), (0, 20, 0.0), (20, 20, 0.8389), (0, 0, 0.0)])
def test_the_least_share_is_the_lower_wilson_bound(hits: int, rows: int, least: float) -> None:
    assert lower_bound_of_share(hits, rows, 1.96) == pytest.approx(least, abs=1e-4)


@pytest.mark.parametrize(
    ("found", "pairs", "least"), [(0.9, 40, 0.8198), (0.9, 8, 0.6065), (0.0, 40, 0.0), (1.0, 1, 0.0), (1.0, 40, 1.0)]
)
def test_the_least_correlation_is_the_lower_bound_of_fishers_z(found: float, pairs: int, least: float) -> None:
    assert lower_bound_of_correlation(found, pairs, 1.96) == pytest.approx(least, abs=1e-4)


def test_more_rows_prove_more_and_never_more_than_their_share() -> None:
    bounds = [lower_bound_of_share(rows // 4, rows) for rows in (4, 16, 64, 256)]
    assert bounds == sorted(bounds)
    assert bounds[-1] < 0.25


def test_the_least_mean_is_three_standard_errors_below_the_mean() -> None:
    values = np.array([0.2, 0.4, 0.6, 0.8])
    expected = values.mean() - 3 * values.std(ddof=1) / 2
    assert lower_bound_of_mean(values, 4)[3] == pytest.approx(expected)
    assert np.isnan(lower_bound_of_mean(values, 4)[:3]).all()


def test_equal_points_prove_their_value_exactly_and_nan_proves_nothing() -> None:
    assert lower_bound_of_mean(np.full(5, 0.3), 5)[4] == 0.3
    assert np.isnan(lower_bound_of_mean(np.array([0.3, np.nan, 0.3]), 3)).all()


def test_what_scatters_by_factors_is_bounded_by_its_geometric_mean() -> None:
    values = np.array([1.0, 2.0, 4.0, 8.0])
    expected = math.exp(math.log(8) / 2 - 3 * np.log(values).std(ddof=1) / 2)
    assert lower_bound_of_geometric_mean(values, 4, 1e-3)[3] == pytest.approx(expected)
    assert lower_bound_of_geometric_mean(np.full(5, 0.3), 5, 1e-3)[4] == pytest.approx(0.3)
    assert lower_bound_of_geometric_mean(np.full(5, 0.3), 5, 1e-3)[4] >= 0.3
    assert lower_bound_of_geometric_mean(np.array([-1.0, 0.0, 1e-9]), 3, 1e-3)[2] == pytest.approx(1e-3)
