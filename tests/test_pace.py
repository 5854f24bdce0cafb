"""Tests of the bounds of processor time."""

import time

import pytest

from tests.pace import MOST_STRETCH, cpu_seconds_below


def spend(seconds: float) -> None:
    until = time.process_time() + seconds
    while time.process_time() < until:
        pass


def test_what_takes_more_than_any_machine_may_fails() -> None:
    with (
        pytest.raises(AssertionError, match=r"took 0\.\d+ s of processor time, 0\.\d+ s are allowed"),
        cpu_seconds_below(0.02),
    ):
        spend(1.1 * MOST_STRETCH * 0.02)


def test_what_stays_below_the_bound_passes_on_every_machine() -> None:
    with cpu_seconds_below(0.2):
        spend(0.05)
