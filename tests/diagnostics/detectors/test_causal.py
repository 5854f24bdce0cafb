"""Detectors are causal: later points do not change the result for earlier ones."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from diagnostics.detectors.arrays import Values
from diagnostics.detectors.averages import ewma
from diagnostics.detectors.episodes import episodes
from diagnostics.detectors.extremes import drawdown, extreme_so_far
from diagnostics.detectors.proportions import lower_bound_of_geometric_mean, lower_bound_of_mean
from diagnostics.detectors.rolling import (
    baseline,
    reached_by,
    robust_z,
    rolling_median,
    rolling_minimum,
    sustained_level,
    times_own_past,
    without_warm_up,
)

ODD = st.sampled_from([0.0, 1.0, -1.0, 0.2, 5.0, np.nan, np.inf, -np.inf])
SERIES = hnp.arrays(np.float64, st.integers(1, 80), elements=ODD)
DETECTORS: dict[str, Callable[[Values], Values]] = {
    "rolling_median": rolling_median,
    "rolling_minimum": lambda values: rolling_minimum(values, 4),
    "baseline": lambda values: baseline(values, 8, 2, 3),
    "times_own_past": lambda values: times_own_past(values, 8, 2, 3, 0.1)[0],
    "robust_z": lambda values: robust_z(values, 8, 4, 0.1),
    "sustained": lambda values: sustained_level(values, 4),
    "reached_by": lambda values: reached_by(values, 2, 5),
    "without_warm_up": lambda values: without_warm_up(values, 7),
    "lower_bound_of_mean": lambda values: lower_bound_of_mean(values, 5),
    "lower_bound_of_geometric_mean": lambda values: lower_bound_of_geometric_mean(values, 5, 0.1),
    "ewma": ewma,
    "extreme_so_far": extreme_so_far,
    "drawdown": drawdown,
}


@pytest.mark.parametrize("name", DETECTORS)
@settings(max_examples=30, deadline=None)
@given(SERIES, st.integers(0, 80))
def test_later_points_do_not_change_what_is_said_of_earlier_ones(name: str, values: Values, known: int) -> None:
    with np.errstate(invalid="ignore"):
        early, late = DETECTORS[name](values[:known]), DETECTORS[name](values)
    np.testing.assert_array_equal(early, late[:known])


@settings(max_examples=60, deadline=None)
@given(SERIES, st.integers(1, 80), st.integers(1, 3))
def test_an_episode_that_ended_stays_as_it_is(values: Values, known: int, patience: int) -> None:
    early, late = (episodes(part, 1.0, patience) for part in (values[:known], values))
    ended = [episode for episode in early if not episode.still]
    assert ended == list(late[: len(ended)])
    assert [episode.first for episode in early] == [episode.first for episode in late[: len(early)]]
