"""Tests of ratios: what is unknown stays unknown."""

import math

import numpy as np

from diagnostics.detectors.ratios import ratios


def test_a_part_over_its_whole() -> None:
    assert ratios(np.array([1.0, 0.0]), np.array([4.0, 4.0])).tolist() == [0.25, 0.0]


def test_what_is_unknown_or_has_no_whole_has_no_ratio() -> None:
    part, whole = np.array([1.0, math.nan, 1.0, math.inf, 1.0]), np.array([0.0, 1.0, math.nan, 1.0, -1.0])
    assert np.isnan(ratios(part, whole)).all()
