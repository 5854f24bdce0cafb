"""Tests of hard limits: values that stop dead at one number, and values that scatter."""

import numpy as np
import pytest

from diagnostics.detectors.hard_limit import HardLimit, find_hard_limit
from tests.diagnostics.conftest import values_of

SCATTERED = "13 16 13 15 14 18 13 16 14 15"


def limit_of(shorthand: str, *, highest: bool = True) -> HardLimit | None:
    """That of a series that is logged at steps 1, 2, …"""
    values = values_of(shorthand)
    return find_hard_limit(np.arange(1, len(values) + 1), values, highest=highest)


def test_values_that_stop_dead_at_one_number_are_limited_from_the_first_of_them_on() -> None:
    assert limit_of(f"{SCATTERED} 3x12") == HardLimit(value=3, step=11, was_passed=True)
    assert limit_of("3 2 4 3 3 2 3 4 2 3 13x12", highest=False) == HardLimit(value=13, step=11, was_passed=True)


def test_a_limit_that_stood_from_the_start_was_never_passed() -> None:
    assert limit_of("26x20") == HardLimit(26, 1, was_passed=False)


@pytest.mark.parametrize("values", [f"{SCATTERED} {SCATTERED}", f"{SCATTERED} 14 12 9 11 8 10 9 9 7 8 9 8", "3x9"])
def test_values_that_scatter_or_are_few_have_no_limit(values: str) -> None:
    assert limit_of(values) is None


def test_a_batch_now_and_then_may_stay_below_the_limit() -> None:
    assert limit_of("26x8 20 26x9 21 26") is not None
    assert limit_of("26x8 20 26x4 22 26 19 26 21") is None
