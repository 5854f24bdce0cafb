"""Discovery: every run below a folder, and the reader of the one at a path.

A run directory is one run and is not descended into; links make no doubles.
"""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from diagnostics.readers import FORMATS, Format, Reader, RunRef, UnreadableRun, load

LOOKED_FOR = ", ".join(form.mark for form in FORMATS)
MAX_LISTED = 5


def find(path: Path) -> list[RunRef]:
    """The runs at or below a path, in the order of their paths; none where it does not exist or may not be read."""
    if path.is_file():
        form = _format_of([path.name])
        return [ref for ref in _runs_in(path.parent, form) if ref.path in (path, path.parent)] if form else []
    return sorted(_walk(path), key=lambda ref: str(ref.path))


def open_reader(path: Path) -> Reader:
    """The reader of the one run at or below a path. Raises UnreadableRun where there is none, or more than one."""
    found = find(path)
    if len(found) != 1:
        raise UnreadableRun(path, _none_found(path) if not found else _several_found(path, found))
    (ref,) = found
    form = next(form for form in FORMATS if form.name == ref.format)
    try:
        return load(form).Reader(ref.path)
    except ImportError as error:
        raise UnreadableRun(path, f"{path} is a {form.title} that needs a library: {error}") from error


def _walk(root: Path) -> Iterator[RunRef]:
    """Folders first, links after them, so that a linked run goes by its real path where that is below the root too."""
    waiting, links, seen = [root], list[Path](), set[tuple[int, int]]()
    while waiting or links:
        folder = waiting.pop() if waiting else links.pop()
        try:
            identity = folder.stat()
            if (identity.st_dev, identity.st_ino) in seen:
                continue
            entries = sorted(folder.iterdir())
            below = [entry for entry in entries if not entry.name.startswith(".") and entry.is_dir()]
        except OSError:  # gone, no folder, or not ours to read
            continue
        seen.add((identity.st_dev, identity.st_ino))
        form = _format_of([entry.name for entry in entries])
        yield from _runs_in(folder, form)
        if form is None or form.has_runs_below:
            links += filter(Path.is_symlink, below)
            waiting += filter(lambda path: not path.is_symlink(), below)


def _runs_in(folder: Path, form: Format | None) -> tuple[RunRef, ...]:
    return load(form).runs_in(folder) if form else ()


def _format_of(file_names: Sequence[str]) -> Format | None:
    """The first format whose mark is among these names."""
    return next((form for form in FORMATS if any(form.marks(name) for name in file_names)), None)


def _none_found(path: Path) -> str:
    if not path.exists():
        return f"{path} does not exist"
    if path.is_file():
        return f"{path} is a file of no known format (looked for {LOOKED_FOR}); give a run's folder"
    if not os.access(path, os.R_OK | os.X_OK):
        return f"{path} may not be read by this user"
    if not any(path.iterdir()):
        return f"{path} is an empty folder: no run has been written into it yet"
    return f"{path} holds no known run (looked for {LOOKED_FOR}, here and in the folders below)"


def _several_found(path: Path, found: list[RunRef]) -> str:
    listed = ", ".join(str(ref.path) for ref in found[:MAX_LISTED])
    more = f" and {len(found) - MAX_LISTED} more" if len(found) > MAX_LISTED else ""
    return f"{path} holds {len(found)} runs, open one of them: {listed}{more}"
