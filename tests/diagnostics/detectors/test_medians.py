"""Tests of the median of a growing series."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from diagnostics.detectors.growing import Memory
from diagnostics.detectors.medians import MOST_NEW, finite_median
from diagnostics.model.series import Values

ODD = st.sampled_from([0.0, 1.0, -1.0, 0.2, 5.0, np.nan, np.inf, -np.inf])


def plain(values: Values) -> float:
    finite = values[np.isfinite(values)]
    return float(np.median(finite)) if len(finite) else math.nan


def grown(values: Values, stages: list[int]) -> list[float]:
    memory, said = Memory(), []
    for stage in stages:
        memory.look_again()
        with memory.of_rule("any"):
            said.append(finite_median(values[:stage].copy()))
    return said


@settings(max_examples=60, deadline=None)
@given(hnp.arrays(np.float64, st.integers(0, 40), elements=ODD), st.sets(st.integers(0, 40)))
def test_it_is_the_median_of_the_finite_values_however_they_came(values: Values, stages: set[int]) -> None:
    ordered = sorted(stages)
    np.testing.assert_array_equal(grown(values, ordered), [plain(values[:stage]) for stage in ordered])


@pytest.mark.parametrize("step", [1, 7, 600])
def test_it_stays_so_when_many_values_came_one_after_the_other(step: int) -> None:
    values = np.random.default_rng(0).normal(size=3 * MOST_NEW).round(2)
    stages = list(range(10, len(values), step))
    assert grown(values, stages) == [plain(values[:stage]) for stage in stages]


def test_there_is_none_of_no_number() -> None:
    assert math.isnan(finite_median(np.array([math.nan, math.inf])))
