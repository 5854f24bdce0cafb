"""Opening runs for a program: by the path or the name that `runs` gives, and nothing outside of the folders shown."""

from pathlib import Path

from diagnostics.api import LiveRun, RunRef, UnreadableRun, diagnose, find_runs, open_run
from diagnostics.boundary import Boundary
from diagnostics.foreign_files.confinement import confine_to
from diagnostics.mcp.answers import ToolProblem, name
from diagnostics.model.diagnosis import Diagnosis
from diagnostics.model.run import Run

_MOST_NAMED = 5  # of several runs that a path may mean


class Library:
    """The runs below some folders. Once made, this process opens nothing that leads out of them."""

    def __init__(self, folders: tuple[Path, ...]) -> None:
        self.folders = tuple(folder.absolute() for folder in folders)
        self._boundary = Boundary.around(self.folders)
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
        """One run, read. Raises ToolProblem."""
        return read(self.ref(path))

    def diagnosis(self, path: str) -> Diagnosis:
        """One run, read and diagnosed. Raises ToolProblem."""
        return diagnose(self.run(path))

    def live(self, path: str) -> LiveRun:
        """One run, to be read again and again. Raises ToolProblem."""
        try:
            return LiveRun(self.ref(path), follows=self._boundary.holds)
        except UnreadableRun as error:
            raise ToolProblem(str(error)) from error


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
