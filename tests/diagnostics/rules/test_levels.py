"""Tests of graded limits on one series."""

import math
from itertools import pairwise
from statistics import median

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

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


def test_a_graver_episode_that_ended_is_kept_beside_a_milder_one_that_goes_on() -> None:
    reading = read(*[0] * 3, *[7] * 4, *[0] * 8, *[2] * 4)
    assert [(item.level.severity, item.episode) for item in reading.breaches] == [
        (Severity.CRITICAL, Episode(3, 6, still=False)),
        (Severity.WARNING, Episode(15, 18, still=True)),
    ]
    assert reading.severity is Severity.CRITICAL


def test_the_slopes_of_a_grave_episode_are_no_episodes_of_their_own() -> None:
    (only,) = read(*[0] * 3, *[2] * 2, *[7] * 4, *[2] * 2, *[0] * 8).breaches
    assert only.level is CRITICAL


def test_an_episode_ends_with_the_last_point_past_the_limit() -> None:
    breach = read(*[2] * 5, *[0.9] * 3).breach
    assert breach is not None
    assert breach.episode == Episode(0, 4, still=True)


def test_the_share_is_that_of_the_logged_points_not_of_their_medians() -> None:
    breach = read(*[2, 2, 0] * 8, smooth=True).breach
    assert breach is not None
    assert breach.share == pytest.approx(16 / 23)


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


POINTS = st.lists(st.one_of(st.floats(0, 10), st.just(math.nan), st.sampled_from([0.0, 1.0, 5.0])), max_size=60)


def kept_up(values: list[float], level: Level, *, smooth: bool, above: bool) -> list[tuple[int, int]]:
    """By a slow path of its own: each window of as many judged points as the patience, all past the limit."""
    judged = values
    if smooth:
        windows = [values[max(0, at - 4) : at + 1] for at in range(len(values))]
        judged = [median(w) if len(w) == 5 and not any(map(math.isnan, w)) else math.nan for w in windows]
    is_past = [value >= level.limit if above else value <= level.limit for value in judged]
    stops = range(level.patience, len(values) + 1)
    return [(stop - level.patience, stop - 1) for stop in stops if all(is_past[stop - level.patience : stop])]


@given(POINTS, st.booleans(), st.booleans())
def test_no_stretch_past_a_level_is_lost_and_none_is_made_up(values: list[float], smooth: bool, above: bool) -> None:
    level = WARNING if above else Level(Severity.WARNING, 5.0, 3)
    reading = read_levels(series(*values), (level,), smooth=smooth, above=above)
    told = [breach.episode for breach in reading.breaches] if isinstance(reading, Reading) else []
    windows, lag = kept_up(values, level, smooth=smooth, above=above), 4 if smooth else 0
    assert bool(told) is bool(windows)
    for first, last in windows:
        assert any(item.first <= last and item.last >= first - lag for item in told)


@given(POINTS)
def test_of_two_levels_only_the_slopes_of_the_graver_go_untold(values: list[float]) -> None:
    graver, milder, both = (read_levels(series(*values), levels, smooth=False)
                            for levels in ((CRITICAL,), (WARNING,), (WARNING, CRITICAL)))  # fmt: skip
    if not (isinstance(graver, Reading) and isinstance(milder, Reading) and isinstance(both, Reading)):
        return
    assert set(graver.breaches) <= set(both.breaches)
    for untold in set(milder.breaches) - set(both.breaches):
        held = range(untold.episode.first, untold.episode.last + 1)
        assert any(2 * len(set(held) & set(range(item.episode.first, item.episode.last + 1))) >= len(held)
                   for item in graver.breaches)  # fmt: skip


@given(POINTS, st.booleans(), st.booleans())
def test_every_breach_is_true_of_its_logged_points(values: list[float], smooth: bool, above: bool) -> None:
    levels = (WARNING, CRITICAL) if above else (Level(Severity.WARNING, 5.0, 3), Level(Severity.CRITICAL, 1.0, 1))
    reading = read_levels(series(*values), levels, smooth=smooth, above=above)
    for breach in reading.breaches if isinstance(reading, Reading) else ():
        first, last, limit = breach.episode.first, breach.episode.last, breach.level.limit
        known = [value for value in values[first : last + 1] if not math.isnan(value)]
        past = [value for value in known if (value >= limit if above else value <= limit)]
        assert values[first] in past
        assert values[last] in past
        assert breach.share == pytest.approx(len(past) / len(known))
        assert values[breach.peak] == (max(known) if above else min(known))


@given(POINTS, st.booleans())
def test_episodes_of_one_level_stand_apart_and_only_the_last_goes_on(values: list[float], smooth: bool) -> None:
    reading = read_levels(series(*values), (WARNING,), smooth=smooth)
    found = [breach.episode for breach in reading.breaches] if isinstance(reading, Reading) else []
    assert all(one.last < other.first and not one.still for one, other in pairwise(found))


@given(POINTS, POINTS)
def test_what_follows_never_takes_a_grave_episode_away(before: list[float], after: list[float]) -> None:
    early, late = (read_levels(series(*values), (WARNING, CRITICAL)) for values in (before, [*before, *after]))
    if isinstance(early, Reading) and early.severity is not None:
        assert isinstance(late, Reading)
        assert late.severity is not None
        assert late.severity.rank >= early.severity.rank
