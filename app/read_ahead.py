"""Reading ahead: a run is opened while its browser still loads the scripts of the page that will show it."""

import threading
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from app import state
from app.load.runs import is_open, snapshot_of
from diagnostics.addresses import is_address
from diagnostics.api import RunRef, UnreadableRun, find_runs
from diagnostics.boundary import Boundary
from diagnostics.foreign_files import confine_to

_LONGEST = 2.5  # seconds of reading: what takes longer is read only as long as a page waits for it
_BYTES_PER_SECOND, _OF_EVENTS = 25e6, 250e6  # read of a text, and of an event file
_PAGE = "run"


class ReadAhead:
    """Passes every request on; one for the page of a run has that run opened beside it."""

    def __init__(self, app: ASGIApp, base_path: str) -> None:
        self._app, self._path = app, f"{base_path}/{_PAGE}"
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="ahead")
        self._lock = threading.Lock()
        self._begun = set[str]()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] == "http" and scope["method"] == "GET" and scope["path"] == self._path:
            self._begin(Request(scope).query_params.get(state.RUN, ""))
        await self._app(scope, receive, send)

    def _begin(self, path: str) -> None:
        if not path or is_address(path) or is_open(path):
            return
        with self._lock:
            if path in self._begun:
                return
            self._begun.add(path)
        self._pool.submit(self._read, path)

    def _read(self, path: str) -> None:
        """Open and judge the run; whatever stands against that is told by its page."""
        try:
            with suppress(UnreadableRun, OSError, ValueError):
                confine_to(state.folders)
                boundary = state.boundary()
                if boundary.holds(path) and _seconds_to_read(path, boundary) <= _LONGEST:
                    snapshot_of(path, boundary)
        finally:
            with self._lock:
                self._begun.discard(path)


def _seconds_to_read(path: str, boundary: Boundary) -> float:
    """How long reading the logs at a path takes, by their bytes."""
    found = [member for ref in find_runs(path, boundary.holds) for member in (ref, *ref.parts)]
    speeds = {place: _speed(ref) for ref in found for place in (ref.path, *ref.files)}
    files = {file: speed for place, speed in speeds.items() for file in _files_of(place)}
    return sum(file.stat().st_size / speed for file, speed in files.items() if file.is_file())


def _speed(ref: RunRef) -> float:
    return _OF_EVENTS if ref.format == "tensorboard" else _BYTES_PER_SECOND


def _files_of(place: Path) -> Iterable[Path]:
    return place.iterdir() if place.is_dir() else (place,)
