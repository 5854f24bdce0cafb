"""How often a process that reads logs looks for garbage: rarely, for what a log becomes is kept."""

import ctypes
import gc
import threading
import time

_ALLOCATIONS = 100_000  # Python's own 700 to 2,000 walk a wide log's hundred thousand series over and over


def collect_rarely() -> None:
    """Search for cyclic garbage less often, in this process alone: a quarter of the time to read a wide log."""
    gc.set_threshold(_ALLOCATIONS, *gc.get_threshold()[1:])


def collect_every(seconds: float) -> None:
    """Search all of this process for cyclic garbage at this pace from now on, and give back what is free then."""

    def collect() -> None:
        while True:
            time.sleep(seconds)
            gc.collect()
            give_back()

    threading.Thread(target=collect, name="garbage", daemon=True).start()


def give_back() -> None:
    """Give free memory back to the system, where the C library can (glibc): arrays that grow leave holes behind."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
