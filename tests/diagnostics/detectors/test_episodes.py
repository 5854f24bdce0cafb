"""Tests of episodes: where they begin, what they outlast, and where they end."""

import numpy as np
import pytest

from diagnostics.detectors.arrays import Values
from diagnostics.detectors.episodes import Episode, episodes

NAN = float("nan")
INF = float("inf")


def test_infinity_is_past_any_limit() -> None:
    assert (Episode(1, 2, still=True),) == episodes(np.array([1.0, INF, INF]), 5.0, 2)


def test_an_episode_opens_at_the_patience_and_not_one_point_before() -> None:
    assert episodes(np.array([0.0, 1, 1, 0]), 1.0, 3) == ()
    assert (Episode(1, 3, still=True),) == episodes(np.array([0.0, 1, 1, 1]), 1.0, 3)


def test_a_series_that_touches_its_limit_again_and_again_is_one_episode() -> None:
    values = np.array([1.0, 1, 0, 0, 0, 1, 0, 0, 0, 1])
    assert (Episode(0, 9, still=True),) == episodes(values, 1.0, 2)


def test_an_episode_ends_after_twice_its_patience_of_calm() -> None:
    assert (Episode(0, 1, still=True),) == episodes(np.array([1.0, 1, 0, 0, 0]), 1.0, 2)
    assert (Episode(0, 1, still=False),) == episodes(np.array([1.0, 1, 0, 0, 0, 0]), 1.0, 2)


@pytest.mark.parametrize(
    ("limit", "above", "restless", "calm"),
    [(1.0, True, 0.81, 0.79), (1.0, False, 1.24, 1.26), (-1.0, False, -0.81, -0.79)],
)
def test_an_episode_goes_on_down_to_the_relaxed_limit(limit: float, above: bool, restless: float, calm: float) -> None:
    assert (Episode(0, 3, still=True),) == episodes(
        np.array([limit, restless, restless, restless]), limit, 1, above=above
    )
    assert (Episode(0, 0, still=False),) == episodes(np.array([limit, calm, calm]), limit, 1, above=above)


def test_a_streak_is_not_carried_over_a_nan() -> None:
    assert episodes(np.array([1.0, 1, NAN, 1, 1]), 1.0, 3) == ()


def test_an_open_episode_outlasts_a_nan_and_does_not_grow_over_it() -> None:
    assert (Episode(0, 1, still=True),) == episodes(np.array([1.0, 1, NAN, NAN, NAN, NAN, NAN]), 1.0, 2)
    assert (Episode(0, 1, still=False),) == episodes(np.array([1.0, 1, NAN, 0, 0, 0, 0]), 1.0, 2)


def test_episodes_agree_with_a_walk_through_the_points() -> None:
    generator = np.random.default_rng(3)
    for _ in range(300):
        values = np.round(generator.normal(size=int(generator.integers(0, 40))), 1)
        values[generator.random(len(values)) < 0.1] = NAN
        limit, patience = float(np.round(generator.normal() / 2, 1)), int(generator.integers(1, 4))
        for above in (True, False):
            assert walked(values, limit, patience, above) == episodes(values, limit, patience, above=above)


def walked(values: Values, limit: float, patience: int, above: bool) -> tuple[Episode, ...]:
    """The definition of an episode, point by point."""
    bound = limit if above else -limit
    relaxed = 0.8 * bound if bound > 0 else bound / 0.8
    found: list[Episode] = []
    first, last, streak = -1, -1, 0
    for index, value in enumerate(values if above else -values):
        if np.isnan(value):
            streak = 0
        elif first < 0:
            streak = streak + 1 if value >= bound else 0
            if streak == patience:
                first, last, streak = index - patience + 1, index, 0
        elif value >= relaxed:
            last, streak = index, 0
        else:
            streak += 1
            if streak == 2 * patience:
                found.append(Episode(first, last, still=False))
                first, streak = -1, 0
    return (*found, Episode(first, last, still=True)) if first >= 0 else tuple(found)
