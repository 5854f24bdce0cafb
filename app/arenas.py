"""The memory arenas of the dashboard's process: few, so that what pages free can be used again."""

import ctypes
import sys

_M_ARENA_MAX = -8  # malloc.h of glibc
_ARENAS = 2


def use_few_arenas() -> None:
    """Limit glibc's allocator to two arenas, in this process alone.

    It gives each thread an arena, up to eight for each core, and Streamlit runs every refresh of a page in a thread of
    its own: what these free stays spread over arenas, and the process grows for hours.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if mallopt is not None:  # other C libraries have no such setting
        mallopt(_M_ARENA_MAX, _ARENAS)
