"""Tests of the breaks and hard limits of a run's metrics."""

from collections.abc import Callable

from diagnostics.causes.discriminators.shapes import break_at, find_break, hard_maximum, hard_minimum
from diagnostics.detectors.changepoint import Break
from diagnostics.detectors.hard_limit import HardLimit
from diagnostics.model.run import Run

MakeRun = Callable[..., Run]


def test_a_metric_breaks_where_it_leaves_a_level_at_once(make_run: MakeRun) -> None:
    score = make_run("ppo", score="1x10 2x10 9x10").get("score")
    assert find_break(score) == Break(21, 2.0, 9.0)
    assert break_at(score, 11) == Break(11, 1.0, 2.0)
    assert break_at(score, 12) is None


def test_a_metric_that_is_not_logged_has_no_shape() -> None:
    assert find_break(None) is None
    assert break_at(None, 1) is None
    assert hard_maximum(None) is None
    assert hard_minimum(None) is None


def test_a_metric_that_stops_dead_at_one_number_has_a_hard_limit(make_run: MakeRun) -> None:
    length = make_run("grpo", length_max="26x20").get("length_max")
    assert hard_maximum(length) == hard_minimum(length) == HardLimit(26, 1, was_passed=False)
