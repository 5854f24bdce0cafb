"""Tests of breaks: a level that is left at once, and what only looks like it."""

from collections.abc import Callable

import numpy as np
import pytest

from diagnostics.detectors.changepoint import Break, break_at, find_break
from diagnostics.model.run import Run
from diagnostics.model.series import Series

MakeRun = Callable[..., Run]


def score(make_run: MakeRun, values: object) -> Series | None:
    return make_run("ppo", score=values).get("score")


def test_a_level_that_is_left_at_once_is_a_break(make_run: MakeRun) -> None:
    found = find_break(score(make_run, "1x5 3x5"))
    assert found == Break(step=6, before=1.0, after=3.0)
    assert (found.rose, found.fell) == (True, False)


@pytest.mark.parametrize("values", ["1x4 3x9", "1x9 3x4", "1x20", "1x10 3x1 1x10", "1..3x20", "1x9 1..3x9 3x9"])
def test_too_few_points_a_spike_and_a_slope_are_none(make_run: MakeRun, values: str) -> None:
    assert find_break(score(make_run, values)) is None


def test_noise_is_none(make_run: MakeRun) -> None:
    draws = np.random.default_rng(5).normal(size=(200, 45))
    assert sum(find_break(score(make_run, values)) is not None for values in draws) <= 4


def test_nan_is_left_out_and_a_missing_series_has_none(make_run: MakeRun) -> None:
    found = find_break(score(make_run, "1x5 nanx3 3x5"))
    assert found is not None
    assert (found.step, find_break(None)) == (9, None)


def test_the_widest_of_two_is_found_and_each_at_its_step(make_run: MakeRun) -> None:
    series = score(make_run, "1x10 2x10 9x10")
    assert (find_break(series) or Break(0, 0, 0)).step == 21
    assert break_at(series, 11) == Break(11, 1.0, 2.0)
    assert break_at(series, 12) is None
