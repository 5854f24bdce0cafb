"""Tests of graded limits on one series."""

import numpy as np
import pytest

from diagnostics.detectors.episodes import Episode
from diagnostics.model.outcome import Severity
from diagnostics.model.series import Series
from diagnostics.rules.levels import Level, Reading, TooFew, read_levels, read_proven_levels

WARNING = Level(Severity.WARNING, 1.0, 3)
CRITICAL = Level(Severity.CRITICAL, 5.0, 1)
PROVEN = (Level(Severity.WARNING, 0.5, 10),)


def series(*values: float) -> Series:
    return Series("score", "score", np.arange(10, 10 + len(values), dtype=np.int64), np.array(values, dtype=np.float64))


def read(*values: float, smooth: bool = False, warm_up: int = 0) -> Reading:
    reading = read_levels(series(*values), (WARNING, CRITICAL), smooth=smooth, warm_up=warm_up)
    assert isinstance(reading, Reading)
    return reading


def test_the_worst_level_that_was_reached_is_the_breach() -> None:
    breach = read(0, 2, 2, 2, 7, 2).breach
    assert breach is not None
    assert (breach.level, breach.peak) == (CRITICAL, 4)


def test_an_episode_that_goes_on_is_reported_before_a_longer_one_that_ended() -> None:
    breach = read(*[1] * 9, *[0] * 6, *[1] * 3).breach
    assert breach is not None
    assert breach.episode == Episode(15, 17, still=True)


def test_without_a_breach_the_worst_sustained_value_is_below_the_limit() -> None:
    reading = read(0, 4, 4, 0.9, 0)
    assert (reading.breach, reading.worst, reading.limit) == (None, 0.9, 1.0)


def test_an_episode_of_the_median_is_reported_on_raw_points() -> None:
    breach = read(0, 0, 0, 0, 2, 2, 3, 0, 0, 0, smooth=True).breach
    assert breach is not None
    assert (breach.episode.first, breach.episode.last, breach.peak) == (4, 6, 6)


def test_warm_up_points_are_not_judged() -> None:
    assert read(9, 9, 9, 0, 0, 0, warm_up=3).breach is None


def test_a_level_with_less_patience_judges_a_shorter_series() -> None:
    breach = read(6).breach
    assert breach is not None
    assert breach.level is CRITICAL


@pytest.mark.parametrize(("points", "needed"), [(6, 7), (0, 7)])
def test_too_few_points_say_how_many_it_takes(points: int, needed: int) -> None:
    assert read_levels(series(*[0.0] * points), (WARNING,)) == TooFew(needed, points)


def test_a_series_torn_by_nan_has_too_few_points() -> None:
    torn = series(*[0.0, 0.0, float("nan")] * 5)
    assert read_levels(torn, (WARNING,)) == TooFew(7, 10)


def test_what_wavers_about_a_limit_has_not_passed_it() -> None:
    draws = np.random.default_rng(3).binomial(4, 0.5, size=400) / 4
    reading = read_proven_levels(series(*draws), PROVEN)
    assert isinstance(reading, Reading)
    assert reading.breach is None


def test_what_lies_above_it_by_more_than_chance_has() -> None:
    draws = np.random.default_rng(3).binomial(8, 0.9, size=30) / 8
    reading = read_proven_levels(series(*[0.0] * 20, *draws), PROVEN)
    assert isinstance(reading, Reading)
    assert reading.breach is not None
    assert (reading.breach.episode.first, reading.breach.episode.still) == (20, True)


def test_what_needs_proof_says_how_many_points_it_takes() -> None:
    assert read_proven_levels(series(*[1.0] * 13), PROVEN) == TooFew(14, 13)
    assert isinstance(read_proven_levels(series(*[1.0] * 14), PROVEN), Reading)
