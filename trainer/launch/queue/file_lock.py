"""A lock that a process holds on a file: the system takes it back however the process ends."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_LOOK_SECONDS = 0.05


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Wait for the lock and hold it inside of the block. Raises OSError."""
    with _opened(path) as descriptor:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield


@contextmanager
def lock_if_free(path: Path, patience: float = 0.0) -> Iterator[bool]:
    """Hold the lock inside of the block, or say False where another process has kept it for `patience` seconds."""
    deadline = time.monotonic() + patience
    with _opened(path) as descriptor:
        while not (has_it := _take(descriptor, fcntl.LOCK_EX)) and time.monotonic() < deadline:
            time.sleep(_LOOK_SECONDS)
        yield has_it


def is_held(path: Path) -> bool:
    """Whether a process holds the lock. Asking keeps nobody from taking it for longer than the question lasts."""
    with _opened(path) as descriptor:
        return not _take(descriptor, fcntl.LOCK_SH)


@contextmanager
def _opened(path: Path) -> Iterator[int]:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _take(descriptor: int, kind: int) -> bool:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
