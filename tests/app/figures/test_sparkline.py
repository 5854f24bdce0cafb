"""A sparkline keeps every spike, breaks at every gap, and stays small."""

import math

import numpy as np
import pytest

from app.figures.sparkline import sparkline
from diagnostics.model.series import Series


def series(*values: float) -> Series:
    return Series("reward", "reward", np.arange(len(values), dtype=np.int64), np.array(values))


def test_a_sparkline_goes_through_the_extremes() -> None:
    values = np.zeros(10_000)
    values[4321], values[7777] = 9.0, -9.0
    ((points),) = sparkline(series(*values)).lines
    heights = [y for _, y in points]
    assert (max(heights), min(heights)) == (100, 0)
    assert len(points) <= 90


def test_a_sparkline_breaks_where_nothing_finite_was_logged_and_marks_it() -> None:
    drawn = sparkline(series(1.0, 2.0, math.nan, math.inf, 3.0, 4.0))
    assert len(drawn.lines) == 2
    assert len(drawn.marks) == 2
    assert all(0 <= x <= 1000 for x in drawn.marks)


def test_a_sparkline_stays_small_however_many_values_are_not_finite() -> None:
    values = np.where(np.arange(100_000) % 2, 1.0, np.inf)
    drawn = sparkline(series(*values))
    assert sum(map(len, drawn.lines)) + len(drawn.marks) < 200


@pytest.mark.parametrize(
    ("values", "missing"),
    [((), "not logged"), ((1.0, 2.0), "too few points"), ((math.nan,) * 9, "no finite value"), ((2.0,) * 9, "")],
)
def test_what_makes_no_line_is_said_in_words(values: tuple[float, ...], missing: str) -> None:
    assert sparkline(series(*values)).missing == missing


def test_numbers_of_any_size_make_a_line() -> None:
    ((points),) = sparkline(series(-1.7e308, 0.0, 1.7e308)).lines
    assert [y for _, y in points] == [0, 50, 100]
