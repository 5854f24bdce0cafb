"""Opening what the command line names: every run below a path, and one sentence for what cannot be read."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from diagnostics.api import RunRef, UnreadableRun, find_runs, open_run
from diagnostics.cli.command import CommandError
from diagnostics.report.contents import Problem
from diagnostics.run import Run


def opened(paths: Iterable[Path]) -> Iterator[Run | Problem]:
    """Every run found below the paths, read, or the reason why not; a path that holds none is a problem too."""
    for path in paths:
        runs: Sequence[RunRef | Path] = find_runs(path) or [path]
        for run in runs:
            try:
                yield open_run(run)
            except UnreadableRun as error:
                yield Problem(str(error.path), str(error))


def opened_one(path: Path) -> Run:
    """The single run at a path.

    Raises CommandError when there is none that can be read, or when there are several.
    """
    try:
        return open_run(path)
    except UnreadableRun as error:
        raise CommandError(str(error)) from error
