"""Finds every run below a folder, and opens the readers of the run at a path.

A run directory is one run and is not descended into; links do not produce duplicates.
"""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from diagnostics.readers.base import FORMATS, Format, Reader, RunRef, UnreadableRun, format_named, load
from diagnostics.readers.cached_reader import Cacheable, CachedReader
from diagnostics.readers.grouping import group_runs, members

LOOKED_FOR = ", ".join(dict.fromkeys(mark for form in FORMATS for mark in form.marks))
MAX_LISTED = 5


def find(path: Path) -> list[RunRef]:
    """The runs at or below a path, ordered by path; none if it does not exist or may not be read.

    A run with several logs is found once. A database with several runs appears as a file with runs below it.
    """
    if path.is_dir():
        return group_runs(_walk(path))
    file = path if path.is_file() else path.parent
    if not file.is_file():
        return []
    inside = [ref for ref in _runs_in(file.parent, [file.name]) if ref.path in (path, file.parent) or file == path]
    return [ref for ref in inside if ref.path.is_relative_to(path) or ref.path == path.parent or path in ref.files]


def open_readers(run: Path | RunRef) -> tuple[Reader, ...]:
    """The readers of one run's logs: of a run that was found, or of the only run at or below a path.

    Raises UnreadableRun if the path holds no run, or more than one.
    """
    path = run if isinstance(run, Path) else run.path
    found = find(run) if isinstance(run, Path) else [run]
    if len(found) != 1:
        raise UnreadableRun(path, _none_found(path) if not found else _several_found(path, found))
    return tuple(_open_reader(member) for member in members(found[0]))


def _open_reader(ref: RunRef) -> Reader:
    form = format_named(ref.format)
    try:
        reader = load(form).Reader(ref.path)
        return CachedReader(reader) if isinstance(reader, Cacheable) else reader
    except ImportError as error:
        raise UnreadableRun(ref.path, f"{ref.path} is a {form.title} that needs a library: {error}") from error


def _walk(root: Path) -> Iterator[RunRef]:
    """Real folders first, links last, so that a linked run gets its real path if that is below the root too."""
    waiting, links, seen = [root], list[Path](), set[tuple[int, int]]()
    while waiting or links:
        folder = waiting.pop() if waiting else links.pop()
        try:
            identity = folder.stat()
            if (identity.st_dev, identity.st_ino) in seen:
                continue
            entries = sorted(folder.iterdir())
            below = [entry for entry in entries if not entry.name.startswith(".") and entry.is_dir()]
        except OSError:  # gone, not a folder, or no permission
            continue
        seen.add((identity.st_dev, identity.st_ino))
        names = [entry.name for entry in entries]
        yield from _runs_in(folder, names)
        if all(form.has_runs_below for form in _formats_of(names)):
            links += filter(Path.is_symlink, below)
            waiting += filter(lambda path: not path.is_symlink(), below)


def _runs_in(folder: Path, file_names: Sequence[str]) -> Iterator[RunRef]:
    """The runs in a folder itself; a run directory is one run, whatever else is in it."""
    for form in _formats_of(file_names):
        found = load(form).runs_in(folder)
        yield from found
        if found and not form.has_runs_below:
            return


def _formats_of(file_names: Sequence[str]) -> list[Format]:
    """The formats with a mark among these names."""
    return [form for form in FORMATS if any(form.fits(name) for name in file_names)]


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
