"""The cores of a process that trains beside others on the CPU of one machine: a share of its own.

All of them compute at the same time and wait for the slowest, so that one which the kernel moves to a core where
another one works holds up every exchange.
"""

import contextlib
import os
from collections.abc import Set
from pathlib import Path

_TOPOLOGY = Path("/sys/devices/system/cpu")
_THREADS = Path("/proc/self/task")


def keep_to_own_cores() -> None:
    """Bind every thread of this process to its share of the cores that all processes of this machine may use.

    Nothing happens where there are no others, fewer cores than processes or no such call (it is Linux's), and where
    whoever started this process has given it cores already.
    """
    rank, count = int(os.environ.get("LOCAL_RANK", "0")), int(os.environ.get("LOCAL_WORLD_SIZE", "1"))
    if count == 1 or not hasattr(os, "sched_setaffinity"):
        return
    with contextlib.suppress(PermissionError):  # which a container may refuse: slower then, and as right
        allowed = os.sched_getaffinity(0)
        if len(allowed) >= count and allowed == os.sched_getaffinity(os.getppid()):
            _bind(own_share(allowed, rank, count))


def _bind(cores: Set[int]) -> None:
    for thread in _THREADS.iterdir():
        with contextlib.suppress(ProcessLookupError):  # it has ended since
            os.sched_setaffinity(int(thread.name), cores)


def own_share(cores: Set[int], rank: int, count: int) -> set[int]:
    """The cores of one of `count` processes, as Linux numbers them: neighbours, both threads of a core together."""
    in_order = sorted(cores, key=_place)
    first, end = (len(in_order) * place // count for place in (rank, rank + 1))
    return set(in_order[first:end])


def _place(core: int) -> tuple[int, int, int]:
    """Socket, physical core and number of what Linux numbers as a core."""
    folder = _TOPOLOGY / f"cpu{core}" / "topology"
    try:
        socket, physical = (int((folder / name).read_text("utf-8")) for name in ("physical_package_id", "core_id"))
    except (OSError, ValueError):  # a container may hide them
        return 0, core, core
    return socket, physical, core
