"""Runs found, opened and diagnosed once for all sessions, and again only after they changed."""

import os
import threading
import time
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from diagnostics.api import LiveDiagnosis, LiveRun, RunRef, find_runs
from diagnostics.model.diagnosis import Diagnosis
from diagnostics.model.run import Run
from diagnostics.model.status import LIVE_STATES
from diagnostics.producers.names_file import read_names
from diagnostics.producers.own_names import OwnNames

_MOST_RUNS_KEPT = 64
_FRESH = 900.0  # seconds: a log of unknown state written to more recently than this may still grow
_LEAST_INTERVAL = 0.25  # seconds between two looks at the same files, however many sessions ask
_MAP = "RLVITALS_MAP"  # the names file that `rlvitals ui --map` was given


@cache
def _own_names() -> OwnNames | None:
    file = os.environ.get(_MAP)
    return read_names(Path(file)) if file else None


@dataclass(frozen=True, slots=True)
class Look:
    """A run as it stands now and its latest diagnosis, which may be of an earlier state; either raises `revision`."""

    run: Run
    diagnosis: Diagnosis
    revision: int


class SharedRun:
    """One live reader that all sessions share; safe to ask from several threads."""

    def __init__(self, run: str | RunRef) -> None:
        """Raises UnreadableRun."""
        self._live = LiveRun(run, _own_names())
        self._diagnosis = LiveDiagnosis()
        self._lock = threading.Lock()
        self._looked = 0.0
        self._look: Look | None = None

    def look(self) -> Look:
        """The newest state of the run, with the diagnosis that a LiveDiagnosis has of it. Raises UnreadableRun."""
        with self._lock:
            if self._look is None or time.monotonic() - self._looked >= _LEAST_INTERVAL:
                self._look = self._newest(self._look)
                self._looked = time.monotonic()
            return self._look

    def _newest(self, before: Look | None) -> Look:
        run = self._live.refresh() or (before.run if before else None)
        assert run is not None  # the first refresh always returns a run
        diagnosis = self._diagnosis.update(run)
        if before and run is before.run and diagnosis is before.diagnosis:
            return before
        return Look(run, diagnosis, before.revision + 1 if before else 1)


_lock = threading.Lock()
_kept: OrderedDict[str, SharedRun] = OrderedDict()  # by path, the one that was looked at last in the end
_refs: dict[str, RunRef] = {}  # by path: a run's page names the path alone, its logs may lie in several folders


def look_at(path: str) -> Look:
    """The newest state of the run at a path. Raises UnreadableRun with one sentence."""
    with _lock:
        shared = _kept.get(path)
    if shared is None:
        shared = SharedRun(_refs.get(path, path))
    with _lock:
        shared = _kept.setdefault(path, shared)
        _kept.move_to_end(path)
        if len(_kept) > _MOST_RUNS_KEPT:
            _kept.popitem(last=False)
    return shared.look()


def is_kept(path: str) -> bool:
    """Whether a look at the run at a path costs no more than what was written since the last one."""
    with _lock:
        return path in _kept


def let_go(path: str) -> None:
    """Free what is held of a run; the next look reads it anew."""
    with _lock:
        _kept.pop(path, None)


def runs_below(folders: Sequence[Path]) -> list[RunRef]:
    """Every run below these folders, unread; from now on each is found by its path with all of its logs."""
    refs = {ref.path.resolve(): ref for folder in folders for ref in find_runs(folder)}
    _refs.update({str(ref.path): ref for ref in refs.values()})
    return list(refs.values())


def is_live(run: Run) -> bool:
    """Whether more data may come: the run says that it goes on, or it does not say and was written to lately."""
    if run.status.state in LIVE_STATES:
        return True
    written = run.status.last_written
    return run.status.state in ("unknown", "silent") and written is not None and time.time() - written < _FRESH
