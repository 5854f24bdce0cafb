"""The list of the runs below some folders: their names at once, a summary of each as it is read.

A background thread reads them, and re-reads those whose files changed, for as long as a page asks. No page waits for
it, however many runs there are.
"""

import logging
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from operator import attrgetter
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from app.load.runs import Found, Snapshot, close, is_open, runs_below, snapshot_of
from diagnostics.api import RunRef, UnreadableRun
from diagnostics.boundary import Boundary
from diagnostics.foreign_files import Cancelled, cancelled_when
from diagnostics.model.run import Run
from diagnostics.project import project_changed
from diagnostics.readers.cache import Identity
from diagnostics.remote.following import NotHereYet, waiting_at_most

_INTERVAL = 2.0  # seconds between two searches of the folders; a new run appears within that time
_SHARE, _LONGEST = 0.05, 10.0  # of a core, to check what changed; the most seconds between two checks
_IDLE = 30.0  # seconds after the last request, when the thread ends
_SETTLED = 24 * 3600.0  # seconds without a word from a run whose end nobody has noted
_MOST_ENTRIES = 200  # of a log's folder that are checked for changes

Summary = TypeVar("Summary")
_Stamp = tuple[int, int, int, int]  # newest change (ns), bytes, number of entries; change of the project file (ns)


@dataclass(frozen=True, slots=True)
class Listed(Generic[Summary]):
    """One run of the list: its `summary`, or the `error` why it cannot be read; neither before it was read."""

    ref: RunRef
    newest: float
    """When its newest file was last modified, in seconds since the epoch."""
    written: float | None = None
    """When its own log says that it was last written to."""
    summary: Summary | None = None
    error: str = ""
    stamp: _Stamp = (0, 0, 0, 0)

    @property
    def is_read(self) -> bool:
        """Whether this run was read, or reading it failed."""
        return self.summary is not None or bool(self.error)

    @property
    def sort_key(self) -> tuple[float, str]:
        """Sorts the most recently written run first."""
        return -(self.newest if self.written is None else self.written), str(self.ref.path)


class Kept(Protocol[Summary]):
    """Summaries that were made before, here or in another process, of runs that have settled."""

    def find(self, path: str, stamp: Identity) -> tuple[Summary, float | None] | None:
        """The summary of a run whose files bear this stamp, and when its own log was last written to."""

    def keep(self, path: str, stamp: Identity, summary: Summary, written: float | None) -> None:
        """Keep what `find` will return."""


class Listing(Generic[Summary]):
    """Lists runs in the background. Thread-safe."""

    def __init__(
        self,
        folders: Sequence[Path],
        summarise: Callable[[Snapshot], Summary],
        before: "Listing[Summary] | None" = None,
        kept: Kept[Summary] | None = None,
    ) -> None:
        """Runs that `before`, the list of other folders, has read are not read again; nor are those in `kept`."""
        self._boundary, self._summarise, self._kept = Boundary.around(folders), summarise, kept
        self.found = Found()
        """The last search of the folders."""
        self._known = (before._listed if before else None) or {}
        self._listed: dict[str, Listed[Summary]] | None = None  # replaced as a whole, so that it is read without a lock
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._requested = 0.0
        self._all_read = threading.Event()

    def entries(self, patience: float = 0.0) -> list[Listed[Summary]] | None:
        """The runs found so far, the most recently written first; None during the first search of the folders.

        Waits up to `patience` seconds for all of them to be read.
        """
        with self._lock:
            self._requested = time.monotonic()
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._keep_up, name=f"runs below {self._boundary.folders[0]}", daemon=True
                )
                self._thread.start()
        self._all_read.wait(patience)
        if self._listed is None:
            return None
        return sorted(self._listed.values(), key=attrgetter("sort_key"))

    def _keep_up(self) -> None:
        while self._is_requested():
            with suppress(Cancelled), cancelled_when(self._is_idle):
                self._update()

    def _update(self) -> None:
        started = time.monotonic()
        self._search()
        self._read_again()
        spent = time.monotonic() - started
        if self._read_new():
            self._all_read.set()
            time.sleep(max(_INTERVAL, min(spent / _SHARE, _LONGEST)))

    def _is_requested(self) -> bool:
        with self._lock:
            if not self._is_idle():
                return True
            self._thread = None
            return False

    def _is_idle(self) -> bool:
        return time.monotonic() - self._requested >= _IDLE

    def _search(self) -> None:
        before, self.found = self._listed or self._known, runs_below(self._boundary)
        self._listed = {
            str(ref.path): replace(before[str(ref.path)], ref=ref) if str(ref.path) in before else _unread_entry(ref)
            for ref in self.found.refs
        }

    def _read_again(self) -> None:
        """Refresh runs that are open, whose files changed, or that could not be read."""
        for path, listed in (self._listed or {}).items():
            if listed.is_read and (listed.error or is_open(path) or _files_stamp(listed.ref) != listed.stamp):
                self._read(listed)

    def _read_new(self) -> bool:
        """Read new runs, the newest first, until the next search is due; True when all are read."""
        unread = [listed for listed in (self._listed or {}).values() if not listed.is_read]
        deadline = time.monotonic() + _INTERVAL
        for listed in sorted(unread, key=attrgetter("sort_key")):
            if time.monotonic() > deadline:
                return False
            if not self._find_kept(listed):
                self._read(listed)
        return True

    def _find_kept(self, listed: Listed[Summary]) -> bool:
        found = self._kept.find(str(listed.ref.path), list(listed.stamp)) if self._kept else None
        if found is None:
            return False
        summary, written = found
        self._put(replace(listed, summary=summary, written=written))
        return True

    def _put(self, listed: Listed[Summary]) -> None:
        self._listed = {**(self._listed or {}), str(listed.ref.path): listed}

    def _read(self, listed: Listed[Summary]) -> None:
        path = str(listed.ref.path)
        found: Listed[Summary] = _unread_entry(listed.ref)
        was_open = is_open(path)
        try:
            with waiting_at_most(0.0):
                snapshot = snapshot_of(path, self._boundary)
            status = snapshot.run.status
            found = replace(found, written=status.last_written, summary=self._summarise(snapshot))
            if self._kept and found.summary is not None and _has_settled(snapshot.run):
                self._kept.keep(path, list(found.stamp), found.summary, found.written)
            if status.has_ended and not was_open:
                close(path)
        except NotHereYet:
            return
        except UnreadableRun as error:
            found = replace(found, error=error.sentence)
        except Exception as error:  # a bug in one reader must not hide the other runs
            logging.getLogger(__name__).debug("reading %s", path, exc_info=True)
            sentence = f"{path} cannot be read, which is a mistake of rlvitals; please report it: {error!r}"
            found = replace(found, error=sentence)
        self._put(found)


def _has_settled(run: Run) -> bool:
    """Whether the passing of time alone will not change what is said of a run whose files can be seen to change."""
    if not _on_disk(run.path).exists():
        return False
    silence = run.observed_at - (run.status.last_written or run.observed_at)
    return run.status.has_ended or (run.status.state == "silent" and silence > _SETTLED)


def _unread_entry(ref: RunRef) -> Listed[Summary]:
    stamp = _files_stamp(ref)
    return Listed(ref, newest=stamp[0] / 1e9, stamp=stamp)


def _files_stamp(ref: RunRef) -> _Stamp:
    """Changes with the files of a run and with its project's rlvitals.toml; costs one `stat` per file."""
    stats = [stat for member in (ref, *ref.parts) for stat in _stats(_on_disk(member.path))]
    newest, size = max((stat.st_mtime_ns for stat in stats), default=0), sum(stat.st_size for stat in stats)
    return newest, size, len(stats), project_changed(ref.path)


def _on_disk(path: Path) -> Path:
    """The file that a run lies in, where its path names one of several in a database or a text."""
    return path if path.exists() else path.parent


def _stats(path: Path) -> Iterator[os.stat_result]:
    """Of a file, or of a folder and its entries, breadth first."""
    waiting, left = deque([path]), _MOST_ENTRIES
    while waiting and left:
        left -= 1
        entry = waiting.popleft()
        try:
            yield entry.stat()
            waiting.extend(islice(entry.iterdir(), left))
        except OSError:  # no folder, gone, or not ours to read
            continue
