"""The end of a run's console: what a training that did not finish printed last."""

import re
from pathlib import Path

from diagnostics.foreign_files import read_end

END_BYTES = 1 << 16  # a traceback of each of several processes, and what led to them
WELL_ENDED = frozenset({"finished", "stopped", "queued"})
"""States in which the last lines explain nothing."""
_NATIVE_FRAME = re.compile(r"^.{0,120}\bframe #\d+: .*\n?", re.MULTILINE)  # of C++: dozens for each process


def console_end(console: Path | None, state: str) -> str:
    """The last lines of a run in this state, without C++ frames; empty where it went as planned or printed nothing."""
    if console is None or state in WELL_ENDED:
        return ""
    try:
        return without_native_frames(read_end(console, END_BYTES).decode(errors="replace"))
    except OSError:
        return ""


def without_native_frames(text: str) -> str:
    """The text without the frames of C++ stacks, which tell nothing and push out what does."""
    return _NATIVE_FRAME.sub("", text) if "frame #" in text else text


def last_change(file: Path | None) -> float | None:
    """When a file was last written, in seconds since the epoch; None where there is none."""
    try:
        return None if file is None else file.stat().st_mtime
    except OSError:
        return None
