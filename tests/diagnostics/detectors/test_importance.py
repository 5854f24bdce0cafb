"""Tests of the mean importance ratio that noise explains, against simulated texts."""

import math

import numpy as np
import pytest

from diagnostics.detectors.importance import expected_mean_ratio, one_sided_share


def simulated(deviation: float, tokens: int, shift: float = 0.0) -> tuple[float, float]:
    """The mean size of a token's difference, and the mean ratio of texts below a cap of 3."""
    draws = np.random.default_rng(1).normal(scale=deviation, size=(200_000, tokens))
    differences = draws - deviation**2 / 2 - shift  # which makes the mean ratio 1 without a shift
    ratios = np.exp(differences.sum(axis=1))
    return float(np.abs(differences).mean()), float(np.where(ratios > 3, 0.0, ratios).mean())


@pytest.mark.parametrize(("deviation", "tokens"), [(0.05, 10), (0.2, 10), (0.1, 50), (0.3, 20)])
def test_the_expected_ratio_is_that_of_normal_differences(deviation: float, tokens: int) -> None:
    difference, ratio = simulated(deviation, tokens)
    assert expected_mean_ratio(difference, tokens) == pytest.approx(ratio, abs=0.05)


def test_equal_policies_have_a_ratio_of_1() -> None:
    assert expected_mean_ratio(0.0, 100) == 1.0


@pytest.mark.parametrize("tokens", [1, 10])
def test_a_cut_off_shows_as_a_difference_of_one_sign(tokens: int) -> None:
    difference, ratio = simulated(0.02, tokens, shift=0.1)
    assert one_sided_share(ratio, difference, tokens) > 0.9
    difference, ratio = simulated(0.1, tokens)
    assert abs(one_sided_share(ratio, difference, tokens)) < 0.2


def test_of_long_texts_whose_ratios_are_all_masked_nothing_can_be_told() -> None:
    assert math.isnan(one_sided_share(0.01, 0.3, 500))
    assert math.isnan(one_sided_share(0.0, 0.1, 1))
    assert math.isnan(one_sided_share(0.9, 0.0, 1))
