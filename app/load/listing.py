"""The runs below some folders and what a list says of each: their names at once, the rest as they are read.

A thread reads them, and again those whose files changed, as long as somebody asks. However many runs there are, whoever
asks does not wait for them.
"""

import logging
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from operator import attrgetter
from pathlib import Path
from typing import Generic, TypeVar

from app.load.runs import Look, is_kept, let_go, look_at, runs_below
from diagnostics.api import RunRef, UnreadableRun

_INTERVAL = 2.0  # seconds from one search of the folders to the next; runs that are found meanwhile wait no longer
_SHARE, _LONGEST = 0.05, 10.0  # of a core for looking whether anything changed; but not more seconds in between
_IDLE = 30.0  # seconds after the last question, when the thread ends
_MOST_ENTRIES = 200  # of a log's folder that are looked at for changes

Summary = TypeVar("Summary")
_Stamp = tuple[int, int, int]  # newest change (ns), bytes, and number of entries


@dataclass(frozen=True, slots=True)
class Listed(Generic[Summary]):
    """One run of the list. `summary` is what is said of it, `error` why it cannot be read; neither before it was."""

    ref: RunRef
    newest: float
    """When its newest file was written to, in seconds since the epoch."""
    written: float | None = None
    """When what was read says that it was last written to."""
    summary: Summary | None = None
    error: str = ""
    stamp: _Stamp = (0, 0, 0)

    @property
    def is_read(self) -> bool:
        """Whether it was tried to read this run."""
        return self.summary is not None or bool(self.error)

    @property
    def place(self) -> tuple[float, str]:
        """Where it stands in a list: the most recently written first."""
        return -(self.newest if self.written is None else self.written), str(self.ref.path)


class Listing(Generic[Summary]):
    """Safe to ask from several threads."""

    def __init__(
        self,
        folders: Sequence[Path],
        summarise: Callable[[Look], Summary],
        before: "Listing[Summary] | None" = None,
    ) -> None:
        """What `before`, a list of other folders, has read is not read again."""
        self._folders, self._summarise = folders, summarise
        self._known = (before._listed if before else None) or {}
        self._listed: dict[str, Listed[Summary]] | None = None  # replaced as a whole, so that it is read without a lock
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._asked = 0.0
        self._all_read = threading.Event()

    def now(self, patience: float = 0.0) -> list[Listed[Summary]] | None:
        """The runs by now, the most recently written first; None while the folders are searched for the first time.

        Waits up to `patience` seconds for all of them to be read.
        """
        with self._lock:
            self._asked = time.monotonic()
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._keep_up, name=f"runs below {self._folders[0]}", daemon=True
                )
                self._thread.start()
        self._all_read.wait(patience)
        if self._listed is None:
            return None
        return sorted(self._listed.values(), key=attrgetter("place"))

    def _keep_up(self) -> None:
        while self._is_asked():
            started = time.monotonic()
            self._search()
            self._read_again()
            spent = time.monotonic() - started
            if self._read_new():
                self._all_read.set()
                time.sleep(max(_INTERVAL, min(spent / _SHARE, _LONGEST)))

    def _is_asked(self) -> bool:
        with self._lock:
            if time.monotonic() - self._asked < _IDLE:
                return True
            self._thread = None
            return False

    def _search(self) -> None:
        before, refs = self._listed or self._known, runs_below(self._folders)
        self._listed = {
            str(ref.path): replace(before[str(ref.path)], ref=ref) if str(ref.path) in before else _unread(ref)
            for ref in refs
        }

    def _read_again(self) -> None:
        """Look at what was read before, where that costs nothing, or its files changed, or it could not be read."""
        for path, listed in (self._listed or {}).items():
            if listed.is_read and (listed.error or is_kept(path) or _stamp(listed.ref) != listed.stamp):
                self._read(listed)

    def _read_new(self) -> bool:
        """Read what was not yet, the newest first, until it is time to search again; whether all of it was read."""
        unread = [listed for listed in (self._listed or {}).values() if not listed.is_read]
        deadline = time.monotonic() + _INTERVAL
        for listed in sorted(unread, key=attrgetter("place")):
            if time.monotonic() > deadline:
                return False
            self._read(listed)
        return True

    def _read(self, listed: Listed[Summary]) -> None:
        path = str(listed.ref.path)
        found: Listed[Summary] = _unread(listed.ref)
        was_kept = is_kept(path)
        try:
            look = look_at(path)
            status = look.run.status
            found = replace(found, written=status.last_written, summary=self._summarise(look))
            if status.has_ended and not was_kept:
                let_go(path)
        except UnreadableRun as error:
            found = replace(found, error=error.sentence)
        except Exception as error:  # one run that is read wrong hides no other
            logging.getLogger(__name__).exception("reading %s", path)
            found = replace(found, error=f"{path} cannot be read: {error!r}")
        self._listed = {**(self._listed or {}), path: found}


def _unread(ref: RunRef) -> Listed[Summary]:
    stamp = _stamp(ref)
    return Listed(ref, newest=stamp[0] / 1e9, stamp=stamp)


def _stamp(ref: RunRef) -> _Stamp:
    """What changes with the files of a run, and costs no more than to ask for their sizes."""
    stats = [stat for member in (ref, *ref.parts) for stat in _stats(member.path)]
    return max((stat.st_mtime_ns for stat in stats), default=0), sum(stat.st_size for stat in stats), len(stats)


def _stats(path: Path) -> Iterator[os.stat_result]:
    """Of a file, or of a folder and what lies in it, the upper levels first."""
    waiting, left = deque([path]), _MOST_ENTRIES
    while waiting and left:
        left -= 1
        entry = waiting.popleft()
        try:
            yield entry.stat()
            waiting.extend(islice(entry.iterdir(), left))
        except OSError:  # no folder, gone, or not ours to read
            continue
