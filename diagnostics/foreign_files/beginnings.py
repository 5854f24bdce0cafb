"""How much of a file one poll reads: up to the bound, or only its beginning where that is enough to know a log.

Like cancellation this is a context variable: it holds for what its thread does inside the `with`, however deep.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from diagnostics.foreign_files.bounds import BEGINNING_BYTES, BEGINNING_ROWS, POLL_BYTES

ALL_ROWS = -1  # as SQLite's LIMIT says it
_is_beginning: ContextVar[bool] = ContextVar("whether only the beginning of a file is read", default=False)


@contextmanager
def beginning_only() -> Iterator[None]:
    """Readers created inside read the beginning of each log, and must not be used outside."""
    token = _is_beginning.set(True)
    try:
        yield
    finally:
        _is_beginning.reset(token)


def bytes_of_a_poll() -> int:
    """The bytes of one file that a poll reads at most."""
    return BEGINNING_BYTES if _is_beginning.get() else POLL_BYTES


def rows_of_a_poll() -> int:
    """The rows of a database that a poll reads at most."""
    return BEGINNING_ROWS if _is_beginning.get() else ALL_ROWS
