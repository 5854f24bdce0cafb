"""CPU pinning: each training process on a machine gets its own share of the cores.

All processes compute at the same time and wait for the slowest, so one that the kernel moves to a busy core delays
every exchange.
"""

import contextlib
import os
from collections.abc import Set
from pathlib import Path

_TOPOLOGY = Path("/sys/devices/system/cpu")
_THREADS = Path("/proc/self/task")


def keep_to_own_cores() -> None:
    """Pin every thread of this process to its share of the cores available to all processes of this machine.

    Does nothing for a single process, with fewer cores than processes, without the system call (Linux only), or if the
    launcher has pinned this process already.
    """
    rank, count = int(os.environ.get("LOCAL_RANK", "0")), int(os.environ.get("LOCAL_WORLD_SIZE", "1"))
    if count == 1 or not hasattr(os, "sched_setaffinity"):
        return
    with contextlib.suppress(PermissionError):  # a container may refuse it: slower, but still correct
        allowed = os.sched_getaffinity(0)
        if len(allowed) >= count and allowed == os.sched_getaffinity(os.getppid()):
            _pin_to(own_share(allowed, rank, count))


def _pin_to(cores: Set[int]) -> None:
    for thread in _THREADS.iterdir():
        with contextlib.suppress(ProcessLookupError):  # the thread has ended since
            os.sched_setaffinity(int(thread.name), cores)


def own_share(cores: Set[int], rank: int, count: int) -> set[int]:
    """The cores, as numbered by Linux, of one of `count` processes: adjacent ones, both threads of a core together."""
    in_order = sorted(cores, key=_core_location)
    first, end = (len(in_order) * place // count for place in (rank, rank + 1))
    return set(in_order[first:end])


def _core_location(core: int) -> tuple[int, int, int]:
    """Socket, physical core and number of a logical core."""
    folder = _TOPOLOGY / f"cpu{core}" / "topology"
    try:
        socket, physical = (int((folder / name).read_text("utf-8")) for name in ("physical_package_id", "core_id"))
    except (OSError, ValueError):  # a container may hide these files
        return 0, core, core
    return socket, physical, core
