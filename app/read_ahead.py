"""Reading ahead: a run is opened while its browser still loads the scripts of the page that will show it."""

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from app import state
from app.load.runs import is_open, snapshot_of
from diagnostics.addresses import is_address
from diagnostics.api import UnreadableRun, find_runs
from diagnostics.boundary import Boundary
from diagnostics.foreign_files import confine_to

_LARGEST = 64 * 1024**2  # bytes of logs: what takes longer is read only as long as a page waits for it
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
                if boundary.holds(path) and _size(path, boundary) <= _LARGEST:
                    snapshot_of(path, boundary)
        finally:
            with self._lock:
                self._begun.discard(path)


def _size(path: str, boundary: Boundary) -> int:
    """Bytes of the logs at a path."""
    found = find_runs(path, boundary.holds)
    named = {place for ref in found for member in (ref, *ref.parts) for place in (member.path, *member.files)}
    files = {file for place in named for file in (place.iterdir() if place.is_dir() else (place,))}
    return sum(file.stat().st_size for file in files if file.is_file())
