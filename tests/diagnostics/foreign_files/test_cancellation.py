"""Giving up work that nobody waits for."""

import threading
import time

import pytest

from diagnostics.foreign_files import Cancelled, TimedOut, cancelled_when, check_cancelled, time_limit


def test_work_outside_of_any_scope_goes_on() -> None:
    check_cancelled()


def test_work_ends_soon_after_nobody_wants_it() -> None:
    gone = threading.Event()
    threading.Timer(0.2, gone.set).start()
    with pytest.raises(Cancelled), cancelled_when(gone.is_set):
        while True:
            check_cancelled()


def test_work_ends_when_its_time_is_over() -> None:
    started = time.monotonic()
    with pytest.raises(TimedOut, match=r"took longer than 0\.2 s"), time_limit(0.2):
        while time.monotonic() < started + 5:
            check_cancelled()
    assert time.monotonic() - started < 1


def test_an_inner_scope_does_not_hide_the_outer_one() -> None:
    with pytest.raises(Cancelled), cancelled_when(lambda: True), time_limit(60):
        check_cancelled()


def test_a_scope_ends_with_its_block() -> None:
    with cancelled_when(lambda: True):
        pass
    check_cancelled()
