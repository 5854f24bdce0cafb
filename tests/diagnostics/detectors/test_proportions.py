"""Tests of what a few draws prove."""

from collections.abc import Callable

import numpy as np
import pytest

from diagnostics.detectors.levels import Level, Reading, TooFew
from diagnostics.detectors.proportions import least_correlation, least_mean, least_share, read_proven
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.model.series import Series

LEVELS = (Level(Severity.WARNING, 0.5, 10),)


def series(make_run: Callable[..., Run], values: object) -> Series:
    return make_run("grpo", zero_std_fraction=values).series["zero_std_fraction"]


@pytest.mark.parametrize(("hits", "rows", "least"), [(10, 20, 0.2993), (0, 20, 0.0), (20, 20, 0.8389), (0, 0, 0.0)])
def test_the_least_share_is_the_lower_wilson_bound(hits: int, rows: int, least: float) -> None:
    assert least_share(hits, rows, 1.96) == pytest.approx(least, abs=1e-4)


@pytest.mark.parametrize(
    ("found", "pairs", "least"), [(0.9, 40, 0.8198), (0.9, 8, 0.6065), (0.0, 40, 0.0), (1.0, 1, 0.0), (1.0, 40, 1.0)]
)
def test_the_least_correlation_is_the_lower_bound_of_fishers_z(found: float, pairs: int, least: float) -> None:
    assert least_correlation(found, pairs, 1.96) == pytest.approx(least, abs=1e-4)


def test_more_rows_prove_more_and_never_more_than_their_share() -> None:
    bounds = [least_share(rows // 4, rows) for rows in (4, 16, 64, 256)]
    assert bounds == sorted(bounds)
    assert bounds[-1] < 0.25


def test_the_least_mean_is_three_standard_errors_below_the_mean() -> None:
    values = np.array([0.2, 0.4, 0.6, 0.8])
    expected = values.mean() - 3 * values.std(ddof=1) / 2
    assert least_mean(values, 4)[3] == pytest.approx(expected)
    assert np.isnan(least_mean(values, 4)[:3]).all()


def test_equal_points_prove_their_value_exactly_and_nan_proves_nothing() -> None:
    assert least_mean(np.full(5, 0.3), 5)[4] == 0.3
    assert np.isnan(least_mean(np.array([0.3, np.nan, 0.3]), 3)).all()


def test_what_wavers_about_a_limit_has_not_passed_it(make_run: Callable[..., Run]) -> None:
    draws = np.random.default_rng(3).binomial(4, 0.5, size=400) / 4
    reading = read_proven(series(make_run, draws), LEVELS)
    assert isinstance(reading, Reading)
    assert reading.breach is None


def test_what_lies_above_it_by_more_than_chance_has(make_run: Callable[..., Run]) -> None:
    draws = np.concatenate([np.zeros(20), np.random.default_rng(3).binomial(8, 0.9, size=30) / 8])
    reading = read_proven(series(make_run, draws), LEVELS)
    assert isinstance(reading, Reading)
    assert reading.breach is not None
    assert (reading.breach.episode.first, reading.breach.episode.still) == (20, True)


def test_a_short_series_says_how_many_points_are_needed(make_run: Callable[..., Run]) -> None:
    reading = read_proven(series(make_run, np.ones(13)), LEVELS)
    assert reading == TooFew(14, 13)
    assert isinstance(read_proven(series(make_run, np.ones(14)), LEVELS), Reading)
