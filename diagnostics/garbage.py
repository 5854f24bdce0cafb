"""How often a process that reads logs looks for garbage: rarely, for what a log becomes is kept."""

import gc
import threading
import time

_ALLOCATIONS = 100_000  # Python's own 700 to 2,000 walk a wide log's hundred thousand series over and over


def collect_rarely() -> None:
    """Search for cyclic garbage less often, in this process alone: a quarter of the time to read a wide log."""
    gc.set_threshold(_ALLOCATIONS, *gc.get_threshold()[1:])


def collect_every(seconds: float) -> None:
    """Search all of this process for cyclic garbage at this pace from now on, whatever else it does."""

    def collect() -> None:
        while True:
            time.sleep(seconds)
            gc.collect()

    threading.Thread(target=collect, name="garbage", daemon=True).start()
