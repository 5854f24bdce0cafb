"""Bounds of processor time for any machine: they stretch where a fixed piece of work takes longer just then."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager

MOST_STRETCH = 4.0  # however slow a machine is, so that a bound stays one
_REFERENCE = 0.02  # CPU seconds of the piece of work on one idle core of 2024
_ROW = json.dumps({f"name/{number}": number / 7 for number in range(200)})


@contextmanager
def cpu_seconds_below(most: float) -> Iterator[None]:
    """Fail where what is done inside takes more processor time than this would be on an idle core."""
    before, began = slowness(), time.process_time()
    yield
    spent = time.process_time() - began
    allowed = most * max(before, slowness())
    assert spent < allowed, f"took {spent:.2f} s of processor time, {allowed:.2f} s are allowed"


def slowness() -> float:
    """How many times longer the piece of work takes now than on an idle core, from 1 to MOST_STRETCH."""
    began = time.process_time()
    for _ in range(400):
        json.loads(_ROW)
    return min(max(1.0, (time.process_time() - began) / _REFERENCE), MOST_STRETCH)
