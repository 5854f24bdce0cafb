"""Tests of near-greedy sampling: how the first points tell it."""

import numpy as np
import pytest

from diagnostics.detectors.greedy import starts_near_greedy


@pytest.mark.parametrize(
    ("entropy", "is_greedy"),
    [([0.02] * 9, True), ([0.09] + [0.02] * 8, True), ([0.1] + [0.02] * 8, False), ([1.2] + [0.01] * 8, False)],
)
def test_a_first_batch_with_variety_was_not_drawn_greedily_whatever_followed(
    entropy: list[float], is_greedy: bool
) -> None:
    assert is_greedy is starts_near_greedy(np.array(entropy), np.array([0.1, *[1.0] * 8]))


def test_nothing_is_greedy_where_it_is_not_known() -> None:
    unknown = np.full(9, np.nan)
    assert not starts_near_greedy(unknown, np.ones(9))
    assert not starts_near_greedy(np.full(9, 0.01), unknown)
