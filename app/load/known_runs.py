"""The runs that can be chosen on a page: those below the folders shown, searched for at most every few seconds."""

import time
from functools import lru_cache

from app.load.runs import runs_below
from diagnostics.api import RunRef
from diagnostics.boundary import Boundary

_FRESH = 15.0  # seconds


def known_runs(boundary: Boundary) -> tuple[RunRef, ...]:
    """Every run inside, unread."""
    return _found(boundary, int(time.monotonic() / _FRESH))


@lru_cache(maxsize=2)
def _found(boundary: Boundary, _moment: int) -> tuple[RunRef, ...]:
    return runs_below(boundary).refs
