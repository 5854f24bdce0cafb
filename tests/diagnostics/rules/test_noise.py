"""Tests of the noise of a series, and of the other numbers about a whole series that go on from where they stood."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diagnostics.rules.growing import Memory
from diagnostics.rules.noise import noise
from diagnostics.rules.running import farthest, latest
from diagnostics.rules.windows import finite_points
from diagnostics.run import Values

VALUES = st.sampled_from([0.0, -0.0, 1.0, -1.0, 0.1, 3e7, 1e-9, 1e200, float("nan"), float("inf"), float("-inf")])


def autoregressive(points: int, phi: float) -> Values:
    generator = np.random.default_rng(0)
    values = np.zeros(points)
    for index in range(1, points):
        values[index] = phi * values[index - 1] + generator.normal()
    return values / values.std()


def test_a_slow_change_is_no_noise() -> None:
    values = np.linspace(0, 10, 200) + np.random.default_rng(0).normal(scale=0.1, size=200)
    assert pytest.approx(noise(values), rel=0.3) == 0.1


def test_autocorrelated_noise_counts_for_more() -> None:
    assert noise(autoregressive(500, phi=0.7)) > 1.2 * noise(autoregressive(500, phi=0.0))


def test_noise_around_a_high_level_is_as_large_as_around_a_low_one() -> None:
    values = np.random.default_rng(0).exponential(size=2000)
    assert pytest.approx(noise(values), rel=1e-6) == noise(values + 1e6)


def test_a_constant_has_no_noise_and_a_short_series_shows_none() -> None:
    assert noise(np.full(100, 0.3)) == 0.0
    assert noise(np.arange(20.0) ** 2) == 0.0


@pytest.mark.parametrize("number", [noise, finite_points, farthest, latest])
@given(st.lists(VALUES, max_size=90), st.lists(st.integers(0, 90), max_size=6))
@settings(max_examples=150, deadline=None)
def test_a_series_that_grew_is_what_it_is_at_once(
    number: Callable[[Values], float], values: Sequence[float], lengths: Sequence[int]
) -> None:
    memory, series = Memory(), np.array(values)
    for length in [*sorted(lengths), len(values), 3]:  # in the end another series, which is shorter
        memory.look_again()
        with memory.of_rule("any"):
            found = number(series[:length])
        np.testing.assert_equal(found, number(series[:length]))
