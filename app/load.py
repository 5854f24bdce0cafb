"""Runs found, opened and diagnosed once for all sessions, and again only when they changed."""

import os
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import streamlit as st

from diagnostics.api import LiveDiagnosis, LiveRun, RunRef, UnreadableRun, find_runs
from diagnostics.diagnosis import Diagnosis
from diagnostics.dialects.own_names import OwnNames
from diagnostics.names_file import read_names

_MOST_RUNS_KEPT = 256
_LEAST_INTERVAL = 0.25  # seconds between two looks at the same files, however many sessions ask


_MAP = "RLVITALS_MAP"  # the names file that `rlvitals ui --map` was given


@cache
def _own_names() -> OwnNames | None:
    file = os.environ.get(_MAP)
    return read_names(Path(file)) if file else None


@dataclass(frozen=True, slots=True)
class Look:
    """A run as it stood at its newest change. `revision` grows with each change."""

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
        """The newest state of the run; diagnosed again only where it changed. Raises UnreadableRun."""
        with self._lock:
            if self._look is None or time.monotonic() - self._looked >= _LEAST_INTERVAL:
                self._look = self._newest(self._look)
                self._looked = time.monotonic()
            return self._look

    def _newest(self, before: Look | None) -> Look:
        run = self._live.refresh()
        if run is not None:
            return Look(self._diagnosis.update(run), before.revision + 1 if before else 1)
        assert before is not None  # the first refresh always returns a run
        return before


@dataclass(frozen=True, slots=True)
class Found:
    """One run of the list: looked at, or the sentence that says why it could not be."""

    ref: RunRef
    look: Look | None
    error: str = ""


_found_refs: dict[str, RunRef] = {}  # by path: a run's page names the path alone, its logs may lie in several folders


@st.cache_resource(max_entries=_MOST_RUNS_KEPT, show_spinner=False)
def _shared(path: str) -> SharedRun:
    return SharedRun(_found_refs.get(path, path))


def look_at(path: str) -> Look:
    """The newest state of the run at a path. Raises UnreadableRun with one sentence."""
    return _shared(path).look()


def find_all(folders: Sequence[Path]) -> list[Found]:
    """Every run below these folders, the most recently written first. One that cannot be read hides no other."""
    refs = {ref.path.resolve(): ref for folder in folders for ref in find_runs(folder)}
    _found_refs.update({str(ref.path): ref for ref in refs.values()})
    return sorted((_found(ref) for ref in refs.values()), key=_newest_first)


def _found(ref: RunRef) -> Found:
    try:
        return Found(ref, look_at(str(ref.path)))
    except UnreadableRun as error:
        return Found(ref, None, error.sentence)


def _newest_first(found: Found) -> tuple[float, str]:
    written = found.look.diagnosis.run.status.last_written if found.look else None
    return -(written or 0.0), str(found.ref.path)
