"""Opening what the command line names: every run below a path, and one sentence for what cannot be read."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from diagnostics.api import UnreadableRun, find_runs, open_run
from diagnostics.cli.command import CommandError
from diagnostics.report.contents import Problem
from diagnostics.run import Run


def opened(paths: Iterable[Path]) -> Iterator[Run | Problem]:
    """Every run found below the paths, read, or the reason why not; a path that holds none is a problem too."""
    for path in paths:
        for run_path in [ref.path for ref in find_runs(path)] or [path]:
            try:
                yield open_run(run_path)
            except UnreadableRun as error:
                yield Problem(str(run_path), str(error))


def opened_one(path: Path) -> Run:
    """The single run at a path.

    Raises CommandError when there is none that can be read, or when there are several.
    """
    try:
        return open_run(path)
    except UnreadableRun as error:
        raise CommandError(str(error)) from error
