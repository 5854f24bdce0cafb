"""Intervals over seeds: Student's quantiles, whose scatter counts, and what a single run cannot tell."""

import math
import random

import pytest

from diagnostics.gate.intervals import Side, difference, mean_interval, student_quantile


@pytest.mark.parametrize(
    ("probability", "freedom", "quantile"),
    [  # Student's t as printed in tables
        (0.95, 1, 6.314),
        (0.975, 1, 12.706),
        (0.95, 2, 2.920),
        (0.99, 4, 3.747),
        (0.995, 7, 3.499),
        (0.95, 30, 1.697),
        (0.975, 1e9, 1.960),
        (0.5, 3, 0.0),
    ],
)
def test_students_quantiles_are_those_of_the_tables(probability: float, freedom: float, quantile: float) -> None:
    assert student_quantile(probability, freedom) == pytest.approx(quantile, abs=2e-3)


def test_the_scatter_is_the_baselines_so_wild_candidates_are_not_excused() -> None:
    calm = difference(Side((0.5, 0.5, 0.5)), Side((0.9, 0.91, 0.89, 0.9)), 0.01)
    wild = difference(Side((0.1, 0.5, 0.9)), Side((0.9, 0.91, 0.89, 0.9)), 0.01)
    assert (calm.low, calm.high) == pytest.approx((wild.low, wild.high))
    assert wild.high < 0
    assert wild.basis == "seeds of the baseline"


def test_one_baseline_run_borrows_the_candidates_scatter() -> None:
    found = difference(Side((0.5, 0.6, 0.7)), Side((0.6,)), 0.05)
    assert found.basis == "seeds of the candidates"
    assert found.high == pytest.approx(0.1 * math.sqrt(1 / 3 + 1) * 2.920, abs=1e-3)


def test_two_single_runs_have_only_their_own_noise() -> None:
    found = difference(Side((0.5,), noise=0.03), Side((0.6,), noise=0.04), 0.025)
    assert found.basis == "noise within the runs"
    assert (found.low, found.high) == pytest.approx((-0.1 - 0.05 * 1.960, -0.1 + 0.05 * 1.960), abs=1e-4)


def test_runs_that_agree_to_the_last_digit_have_the_noise_within_them() -> None:
    assert Side((0.5, 0.5), noise=0.1).variance == pytest.approx(0.01)
    assert mean_interval(Side((0.5,)), 0.05).low == 0.5


@pytest.mark.parametrize(("base", "few"), [(3, 1), (5, 5), (8, 3)])
def test_a_bound_is_passed_by_chance_as_often_as_was_asked_for(base: int, few: int) -> None:
    chance, draws, rate = random.Random(1), 2000, 0.05
    passed = sum(
        difference(
            Side(tuple(chance.gauss(0, 1) for _ in range(few))),
            Side(tuple(chance.gauss(0, 1) for _ in range(base))),
            rate,
        ).high
        < 0
        for _ in range(draws)
    )
    assert passed / draws == pytest.approx(rate, abs=3 * math.sqrt(rate * (1 - rate) / draws))
