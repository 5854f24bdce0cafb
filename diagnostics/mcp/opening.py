"""Opening runs for a program: by the path or the name that `runs` gives, and nothing outside of the folders shown."""

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from pathlib import Path
from threading import Lock

from diagnostics.addresses import AddressError, is_address, local_path, shown
from diagnostics.api import LiveDiagnosis, LiveRun, RunRef, UnreadableRun, find_runs, open_run
from diagnostics.boundary import Boundary
from diagnostics.foreign_files.confinement import confine_to
from diagnostics.mcp.answers import ToolProblem, name
from diagnostics.model.diagnosis import Diagnosis
from diagnostics.model.run import Run
from diagnostics.remote.following import bring, copied_paths, find_there, silence_of, waiting_at_most

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
        """Of what lies at an address, the folder of its copy."""
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
        """A path inside: absolute, an address, or relative to one of the folders. Raises ToolProblem."""
        try:
            named = local_path(path) if is_address(path) else Path(path)
        except AddressError as error:
            raise ToolProblem(str(error)) from error
        for candidate in (named, *(folder / path for folder in self.folders)):
            if self._boundary.holds(candidate) and _is_there(candidate):
                return candidate
        folders = ", ".join(map(shown, self.folders))
        raise ToolProblem(f"{name(path)!r} is no path below the folders shown ({folders}); the tool runs lists what is")

    def holds(self, path: Path) -> bool:
        """Whether a path lies inside; it need not exist."""
        return self._boundary.holds(path)

    def silences(self, path: str = "") -> list[str]:
        """Of the addresses below which a path lies, or of all: which do not answer, since when and why."""
        places = [self.place(path)] if path else self.folders
        return [sentence for place in places if (sentence := silence_of(place))]

    def read_all(self, refs: Sequence[RunRef]) -> Iterator[Run | ToolProblem]:
        """Each run, or why it cannot be read; what lies elsewhere is waited for once, for all of them."""
        bring(path for ref in refs for path in copied_paths(ref))
        with waiting_at_most(0.0):
            for ref in refs:
                try:
                    yield read(ref)
                except ToolProblem as problem:
                    yield problem

    def ref(self, path: str) -> RunRef:
        """The one run at or below a path. Raises ToolProblem where there is none, or where there are several."""
        found = self.refs(path)
        if len(found) == 1:
            return found[0]
        if not found:
            raise ToolProblem(f"{name(path)!r} holds no run; the tool runs lists those that there are")
        named = ", ".join(shown(ref.path) for ref in found[:_MOST_NAMED])
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


def _is_there(path: Path) -> bool:
    try:
        find_there(path)
        return path.exists()
    except (OSError, ValueError):  # a null character, or a name that no file can have
        return False
