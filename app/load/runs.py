"""Runs, opened and diagnosed once for all sessions and again only after they changed."""

import os
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from diagnostics.api import LiveDiagnosis, LiveRun, RunRef, find_runs
from diagnostics.boundary import Boundary
from diagnostics.foreign_files import Cancelled
from diagnostics.foreign_files.folders import resolved
from diagnostics.foreign_files.omissions import collected_omissions
from diagnostics.model.diagnosis import Diagnosis
from diagnostics.model.run import Run
from diagnostics.model.status import LIVE_STATES
from diagnostics.producers.names_file import read_names
from diagnostics.producers.own_names import OwnNames

_MOST_OPEN_RUNS = 64
_FRESH = 900.0  # seconds: a log of unknown state written to more recently than this may still grow
_LEAST_INTERVAL = 0.25  # seconds between two polls of the same files, however many sessions ask
_SHARE_OF_A_CORE = 0.02  # that judging a growing run may take
_MAP = "RLVITALS_MAP"  # the names file that `rlvitals ui --map` was given


@cache
def _own_names() -> OwnNames | None:
    file = os.environ.get(_MAP)
    return read_names(Path(file)) if file else None


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A run and its latest diagnosis, which may be of an earlier step; a change of either raises `revision`."""

    run: Run
    diagnosis: Diagnosis
    revision: int


class SharedRun:
    """One live reader that all sessions share; safe to ask from several threads."""

    def __init__(self, run: str | RunRef, boundary: Boundary) -> None:
        """Raises UnreadableRun."""
        self._live = LiveRun(run, _own_names(), boundary.holds)
        self._diagnosis = LiveDiagnosis(share=_SHARE_OF_A_CORE, cost_clock=time.thread_time)
        self._lock = threading.Lock()
        self._polled = 0.0
        self._snapshot: Snapshot | None = None

    def snapshot(self) -> Snapshot:
        """The run as it is now, with its latest diagnosis. Raises UnreadableRun."""
        with self._lock:
            if self._snapshot is None or time.monotonic() - self._polled >= _LEAST_INTERVAL:
                self._snapshot = self._newest(self._snapshot)
                self._polled = time.monotonic()
            return self._snapshot

    def expire(self) -> None:
        """Let the next snapshot look at the files again, however recent the last one is."""
        with self._lock:
            self._polled = 0.0

    def _newest(self, before: Snapshot | None) -> Snapshot:
        run = self._live.refresh() or (before.run if before else None)
        assert run is not None  # the first refresh always returns a run
        diagnosis = self._diagnosis.update(run)
        if before and run is before.run and diagnosis is before.diagnosis:
            return before
        return Snapshot(run, diagnosis, before.revision + 1 if before else 1)


_lock = threading.Lock()
_open_runs: OrderedDict[str, SharedRun] = OrderedDict()  # by path, the most recently used last
_refs: dict[str, RunRef] = {}  # by path: a run's page names the path alone, its logs may lie in several folders


def snapshot_of(path: str, boundary: Boundary) -> Snapshot:
    """The run at a path as it is now.

    Raises UnreadableRun with one sentence, OutsideFolders beyond the boundary, or Cancelled inside `cancelled_when`.
    """
    known = _refs.get(path)
    if known is None:
        boundary.check(path)
    elif not boundary.holds_run(known):
        raise boundary.refusal(path)
    with _lock:
        shared = _open_runs.get(path)
    if shared is None:
        shared = SharedRun(known or _ref_inside(path, boundary) or path, boundary)
    with _lock:
        shared = _open_runs.setdefault(path, shared)
        _open_runs.move_to_end(path)
        if len(_open_runs) > _MOST_OPEN_RUNS:
            _open_runs.popitem(last=False)
    try:
        return shared.snapshot()
    except Cancelled:
        close(path)  # what was read of it is of no use to anybody
        raise


def _ref_inside(path: str, boundary: Boundary) -> RunRef | None:
    """The run at a path, if its logs lie inside; None if there is none or more than one. Raises UnreadableRun."""
    found = find_runs(path, boundary.holds)
    inside = [ref for ref in found if boundary.holds_run(ref)]
    if found and not inside:
        raise boundary.refusal(path)
    return inside[0] if len(inside) == 1 else None


def expire(path: str) -> None:
    """Let the next snapshot of a run look at its files again: this process has just changed what judges it."""
    with _lock:
        shared = _open_runs.get(path)
    if shared is not None:
        shared.expire()


def is_open(path: str) -> bool:
    """Whether the run at a path is open, so that polling it reads only appended bytes."""
    with _lock:
        return path in _open_runs


def close(path: str) -> None:
    """Free the memory of a run; the next snapshot reads it from the start."""
    with _lock:
        _open_runs.pop(path, None)


@dataclass(frozen=True, slots=True)
class Found:
    """The runs below some folders, and what was left out: links that lead outside of them, and what a bound cut off."""

    refs: tuple[RunRef, ...] = ()
    links_out: int = 0
    omissions: tuple[str, ...] = ()


def runs_below(boundary: Boundary) -> Found:
    """Every run inside, unread; from now on each is found by its path with all of its logs."""
    links_out = set[Path]()

    def follows(link: Path) -> bool:
        if not (is_inside := boundary.holds(link)):
            links_out.add(link)
        return is_inside

    with collected_omissions() as omissions:
        found = [ref for folder in boundary.folders for ref in find_runs(folder, follows)]
    refs = {resolved(ref.path): ref for ref in found if boundary.holds_run(ref)}
    links_out.update(ref.path for ref in found if not boundary.holds_run(ref))
    _refs.update({str(ref.path): ref for ref in refs.values()})
    return Found(tuple(refs.values()), len(links_out), tuple(omissions))


def is_live(run: Run) -> bool:
    """Whether more data may come: the run says that it goes on, or it does not say and was written to lately."""
    if run.status.state in LIVE_STATES:
        return True
    written = run.status.last_written
    return run.status.state in ("unknown", "silent") and written is not None and time.time() - written < _FRESH
