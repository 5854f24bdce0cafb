"""Tests of stillness: a level is compared with itself later, as far as its noise lets one see."""

import math

import numpy as np

from diagnostics.detectors.stillness import change_of_level, wandering


def test_a_shift_beyond_the_noise_is_proven_and_its_size_is_right() -> None:
    noise = np.random.default_rng(0).normal(scale=0.01, size=90)
    change = change_of_level(np.where(np.arange(90) < 45, 0.5, 0.6) + noise)
    assert change is not None
    assert change.is_proven
    assert abs(change.after - change.before - 0.1) < 0.01


def test_noise_alone_is_no_change_but_leaves_room_for_one() -> None:
    found = [change_of_level(np.random.default_rng(seed).normal(scale=0.1, size=60)) for seed in range(100)]
    changes = [change for change in found if change is not None]
    assert len(changes) == 100
    assert sum(change.is_proven for change in changes) <= 2
    assert all(change.most > abs(change.after - change.before) for change in changes)


def test_eight_points_say_nothing() -> None:
    assert change_of_level(np.ones(8)) is None
    assert change_of_level(np.where(np.arange(20) % 2, np.nan, 1.0)) is not None


def test_levels_that_luck_does_not_explain_are_a_wandering() -> None:
    noise = [np.random.default_rng(seed).normal(scale=0.1, size=200) for seed in range(100)]
    assert sum(wandering(values) > 3.47 for values in noise) <= 2
    assert 0.8 < float(np.mean([wandering(values) for values in noise])) < 1.2
    assert min(wandering(values + np.where(np.arange(200) < 50, 0.2, 0.0)) for values in noise) > 3.47


def test_what_never_moves_does_not_wander_and_steps_without_noise_do() -> None:
    assert wandering(np.ones(40)) == 0.0
    assert wandering(np.repeat(np.arange(8.0), 5)) == math.inf
    assert wandering(np.arange(15.0)) == 0.0
