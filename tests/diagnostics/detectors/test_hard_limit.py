"""Tests of hard limits: values that stop dead at one number, and values that scatter."""

from collections.abc import Callable

import pytest

from diagnostics.detectors.hard_limit import HardLimit, hard_maximum, hard_minimum
from diagnostics.model.run import Run

MakeRun = Callable[..., Run]
SCATTERED = "13 16 13 15 14 18 13 16 14 15"


def test_values_that_stop_dead_at_one_number_are_limited_from_the_first_of_them_on(make_run: MakeRun) -> None:
    run = make_run("grpo", length_max=f"{SCATTERED} 3x12", length_min="3 2 4 3 3 2 3 4 2 3 13x12")
    assert hard_maximum(run.get("length_max")) == HardLimit(value=3, step=11, was_passed=True)
    assert hard_minimum(run.get("length_min")) == HardLimit(value=13, step=11, was_passed=True)


def test_a_limit_that_stood_from_the_start_was_never_passed(make_run: MakeRun) -> None:
    assert hard_maximum(make_run("grpo", length_max="26x20").get("length_max")) == HardLimit(26, 1, was_passed=False)


@pytest.mark.parametrize("values", [f"{SCATTERED} {SCATTERED}", f"{SCATTERED} 14 12 9 11 8 10 9 9 7 8 9 8", "3x9"])
def test_values_that_scatter_or_are_few_have_no_limit(make_run: MakeRun, values: str) -> None:
    assert hard_maximum(make_run("grpo", length_max=values).get("length_max")) is None


def test_a_batch_now_and_then_may_stay_below_the_limit(make_run: MakeRun) -> None:
    assert hard_maximum(make_run("grpo", length_max="26x8 20 26x9 21 26").get("length_max")) is not None
    assert hard_maximum(make_run("grpo", length_max="26x8 20 26x4 22 26 19 26 21").get("length_max")) is None


def test_what_is_not_logged_has_no_limit() -> None:
    assert hard_maximum(None) is None
    assert hard_minimum(None) is None
