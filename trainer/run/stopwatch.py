"""The stopwatch of a training: how many seconds of each step every stage takes.

It reads the clock and waits for no device: work that a stage leaves on an accelerator counts where its result is needed
first. Generation and updates end with numbers that the host reads, so they are whole.
"""

import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager

BETWEEN_LAPS = ("log", "checkpoint")
"""What is done after a lap: the first lap has none of it, and says so."""


class Stopwatch:
    """The seconds since the last lap, by stage. A lap ends when a step's metrics are put together.

    What follows, writing them and saving a checkpoint, belongs to the next lap, so that the laps are all of a training.
    """

    def __init__(self) -> None:
        self._started = time.perf_counter()
        self._seconds = _none_yet()

    @contextmanager
    def timing(self, stage: str) -> Iterator[None]:
        """Add what happens inside to a stage."""
        started = time.perf_counter()
        try:
            yield
        finally:
            self.add(stage, started)

    def add(self, stage: str, started: float) -> None:
        """Add the seconds since `started`, a reading of `time.perf_counter`, to a stage."""
        self._seconds[stage] += time.perf_counter() - started

    def lap(self) -> dict[str, float]:
        """End a lap: `step_time` and, for each stage, `perf/<stage>_s`, all in seconds."""
        now = time.perf_counter()
        seconds = {"step_time": now - self._started, **{f"perf/{name}_s": each for name, each in self._seconds.items()}}
        self._started = now
        self._seconds = _none_yet()
        return seconds


def _none_yet() -> defaultdict[str, float]:
    return defaultdict(float, dict.fromkeys(BETWEEN_LAPS, 0.0))
