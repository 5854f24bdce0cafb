"""Opening runs for a program: by the path or the name that `runs` gives, and nothing outside of the folders shown."""

from collections import OrderedDict
from pathlib import Path
from threading import Lock

from diagnostics.api import LiveDiagnosis, LiveRun, RunRef, UnreadableRun, find_runs, open_run
from diagnostics.boundary import Boundary
from diagnostics.foreign_files.confinement import confine_to
from diagnostics.mcp.answers import ToolProblem, name
from diagnostics.model.diagnosis import Diagnosis
from diagnostics.model.run import Run

_MOST_OPEN = 8  # runs that are kept in memory
_MOST_NAMED = 5  # of several runs that a path may mean


class OpenRun:
    """One run, read again at each question; safe to ask from several threads."""

    def __init__(self, ref: RunRef, boundary: Boundary) -> None:
        """Raises ToolProblem where it cannot be opened."""
        try:
            self._live = LiveRun(ref, follows=boundary.holds)
        except UnreadableRun as error:
            raise ToolProblem(str(error)) from error
        self._diagnoses, self._lock = LiveDiagnosis(), Lock()
        self._run: Run | None = None

    def run(self) -> Run:
        """The run as it stands. Raises ToolProblem where it can no longer be read."""
        with self._lock:
            return self._refreshed()

    def diagnosis(self) -> Diagnosis:
        """Its diagnosis: the latest one while the next is not due."""
        with self._lock:
            return self._diagnoses.update(self._refreshed())

    def _refreshed(self) -> Run:
        try:
            self._run = self._live.refresh() or self._run
        except UnreadableRun as error:
            raise ToolProblem(str(error)) from error
        assert self._run is not None  # the first refresh always returns a run
        return self._run


class Library:
    """The runs below some folders. Once made, this process opens nothing that leads out of them."""

    def __init__(self, folders: tuple[Path, ...]) -> None:
        self.folders = tuple(folder.absolute() for folder in folders)
        self._boundary = Boundary.around(self.folders)
        self._opened: OrderedDict[Path, OpenRun] = OrderedDict()  # the latest last
        self._lock = Lock()
        confine_to(lambda: self.folders)

    def refs(self, path: str = "") -> list[RunRef]:
        """Every run at or below a path, or below all folders. Raises ToolProblem for a path outside of them."""
        places = [self.place(path)] if path else self.folders
        found = [ref for place in places for ref in find_runs(place, self._boundary.holds)]
        return [ref for ref in found if self._boundary.holds_run(ref)]

    def place(self, path: str) -> Path:
        """A path inside: absolute, or relative to one of the folders. Raises ToolProblem."""
        for candidate in (Path(path), *(folder / path for folder in self.folders)):
            if self._boundary.holds(candidate) and _exists(candidate):
                return candidate
        shown = ", ".join(map(str, self.folders))
        raise ToolProblem(f"{name(path)!r} is no path below the folders shown ({shown}); the tool runs lists what is")

    def ref(self, path: str) -> RunRef:
        """The one run at or below a path. Raises ToolProblem where there is none, or where there are several."""
        found = self.refs(path)
        if len(found) == 1:
            return found[0]
        if not found:
            raise ToolProblem(f"{name(path)!r} holds no run; the tool runs lists those that there are")
        named = ", ".join(str(ref.path) for ref in found[:_MOST_NAMED])
        raise ToolProblem(f"{name(path)!r} holds {len(found)} runs; name one of them: {named}")

    def run(self, path: str) -> Run:
        """One run, as it stands. Raises ToolProblem."""
        return self.open(path).run()

    def diagnosis(self, path: str) -> Diagnosis:
        """One run, diagnosed; of a run that grows as it stood a moment ago. Raises ToolProblem."""
        return self.open(path).diagnosis()

    def open(self, path: str) -> OpenRun:
        """The run, kept open for the next question about it: that one reads only what is new."""
        ref = self.ref(path)
        with self._lock:
            known = self._opened.pop(ref.path, None) or OpenRun(ref, self._boundary)
            self._opened[ref.path] = known
            while len(self._opened) > _MOST_OPEN:
                self._opened.popitem(last=False)
        return known


def read(ref: RunRef) -> Run:
    """The run. Raises ToolProblem where it cannot be read."""
    try:
        return open_run(ref)
    except UnreadableRun as error:
        raise ToolProblem(str(error)) from error


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # a null character, or a name that no file can have
        return False
