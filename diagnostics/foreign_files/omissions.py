"""Omissions: what a bound left out of a search, logged as a warning and told to whoever collects them.

The collection is a context variable, as in cancellation: what a search calls needs no argument for it.
"""

import logging
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache

from diagnostics.visible_text import one_line

_collected: ContextVar[dict[str, None] | None] = ContextVar("omissions collected", default=None)


def note_omission(sentence: str) -> None:
    """Say what is left out. A sentence is logged once, and collected each time that it holds."""
    if (collected := _collected.get()) is not None:
        collected[sentence] = None
    _log(sentence)


@contextmanager
def collected_omissions() -> Iterator[Collection[str]]:
    """The sentences noted inside so far, each once, in the order of their first mention."""
    found = dict[str, None]()
    token = _collected.set(found)
    try:
        yield found.keys()
    finally:
        _collected.reset(token)


@lru_cache(maxsize=1024)
def _log(sentence: str) -> None:
    logging.getLogger(__name__).warning("%s", one_line(sentence))
