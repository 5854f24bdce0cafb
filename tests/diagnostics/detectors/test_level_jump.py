"""Tests of levels that a series leaves at once."""

import numpy as np

from diagnostics.detectors.level_jump import lasting_jumps
from tests.diagnostics.conftest import values_of

SETTINGS = {"within": 3, "patience": 5, "window": 20, "smallest": 0.001}


def jumps(path: str) -> np.ndarray:
    return lasting_jumps(values_of(path), **SETTINGS)[0]


def test_a_jump_is_measured_from_the_level_before() -> None:
    times, before = lasting_jumps(values_of("0.01x10 0.08x10"), **SETTINGS)
    assert np.nanmax(times) == 8.0
    assert (int(np.nanargmax(times)), float(before[10])) == (10, 0.01)


def test_what_comes_back_within_five_points_is_no_jump() -> None:
    assert np.nanmax(jumps("0.01x10 0.08x4 0.01x10")) == 1.0


def test_a_level_is_never_below_float_noise() -> None:
    assert np.nanmax(jumps("0x10 0.008x10")) == 8.0


def test_a_gap_is_no_level() -> None:
    times = jumps("0.01x5 nanx3 0.08x10")
    assert np.nanmax(times) == 8.0
    assert np.isnan(times[5:8]).all()


def test_too_few_points_show_nothing() -> None:
    assert np.isnan(jumps("0.01x5")).all()
