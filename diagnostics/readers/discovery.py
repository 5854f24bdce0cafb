"""Finds every run below a folder, and opens the readers of the run at a path.

A run directory is one run and is not descended into; links do not produce duplicates.
"""

import logging
import os
import stat
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import cast

from diagnostics.foreign_files import NotRegularFile, TimedOut
from diagnostics.foreign_files.walk import folders_below
from diagnostics.readers.base import (
    FORMATS,
    Format,
    Reader,
    RunRef,
    TextModule,
    UnreadableRun,
    format_named,
    load,
)
from diagnostics.readers.cached_reader import Cacheable, CachedReader
from diagnostics.readers.grouping import group_runs
from diagnostics.readers.run_parts import members
from diagnostics.told import first_of, told
from diagnostics.visible_text import one_line

LOOKED_FOR = ", ".join(dict.fromkeys(mark for form in FORMATS for mark in form.marks))
MAX_LISTED = 5
MOST_CHARACTERS = 300  # of a path in a sentence
_TEXTS = ("console", "progress")  # known by what they say, and not by their names
_NOTEBOOK = "notebook"
_EXAMPLES = "{'reward': 0.5, 'epoch': 0.1} | step=3 reward=0.5"  # of printed lines that are read
_SAME_DIGITS = str.maketrans("123456789", "000000000")
_log = logging.getLogger(__name__)


def find(path: Path, follows: Callable[[Path], bool] = lambda link: True) -> list[RunRef]:
    """The runs at or below a path, ordered by path; none if it does not exist or may not be read.

    A run with several logs is found once. A database with several runs appears as a file with runs below it.
    Raises nothing but Cancelled and TimedOut.

    Args:
        follows: Whether a link to a folder is followed.
    """
    try:
        if path.is_dir():
            return group_runs(_walk(path, follows))
        return _at(path)
    except (OSError, ValueError):  # gone meanwhile, a name that is too long, a NUL in it
        return []


def _at(path: Path) -> list[RunRef]:
    """The runs of a file, or the one that a path below a database names."""
    file = path if path.is_file() else path.parent
    if not file.is_file():
        return []
    inside = [ref for ref in _runs_in(file.parent, [file.name]) if ref.path in (path, file.parent) or file == path]
    found = [ref for ref in inside if _are_nested(ref.path, path) or path in ref.files]
    return found or [ref for ref in _of_any_name(file) if _are_nested(ref.path, path)]


def _of_any_name(file: Path) -> Iterator[RunRef]:
    """The runs of a text, whatever it is called: a path that is named is meant."""
    if not _formats_of([file.name]):
        for form in _TEXTS:
            yield from cast(TextModule, load(format_named(form))).runs_of(file)


def _are_nested(one: Path, two: Path) -> bool:
    return one.is_relative_to(two) or two.is_relative_to(one)


def open_readers(run: Path | RunRef, follows: Callable[[Path], bool] = lambda link: True) -> tuple[Reader, ...]:
    """The readers of one run's logs: of a run that was found, or of the only run at or below a path.

    Raises UnreadableRun if the path holds no run, or more than one.
    """
    path = run if isinstance(run, Path) else run.path
    found = find(run, follows) if isinstance(run, Path) else [run]
    if len(found) != 1:
        raise UnreadableRun(path, _none_found(path) if not found else _several_found(path, found))
    return tuple(_open_reader(member) for member in members(found[0]))


def _open_reader(ref: RunRef) -> Reader:
    form = format_named(ref.format)
    try:
        reader = load(form).Reader(ref.path)
        return CachedReader(reader) if isinstance(reader, Cacheable) else reader
    except ImportError as error:
        raise UnreadableRun(
            ref.path,
            told("{path} is a {title} that needs a library: {why}", path=ref.path, title=form.title, why=error),
        ) from error


def _walk(root: Path, follows: Callable[[Path], bool]) -> Iterator[RunRef]:
    for folder in folders_below(root):
        forms = _formats_of(folder.names)
        yield from _of_formats(folder.path, forms)
        if not all(form.has_runs_below for form in forms):
            folder.below.clear()
        folder.below[:] = [path for path in folder.below if not path.is_symlink() or follows(path)]


def _runs_in(folder: Path, file_names: Sequence[str]) -> Iterator[RunRef]:
    return _of_formats(folder, _formats_of(file_names))


def _of_formats(folder: Path, forms: Sequence[Format]) -> Iterator[RunRef]:
    """The runs in a folder itself; a run directory is one run, whatever else is in it."""
    for form in forms:
        found = _of_format(folder, form)
        yield from found
        if found and not form.has_runs_below:
            return


def _of_format(folder: Path, form: Format) -> tuple[RunRef, ...]:
    try:
        return load(form).runs_in(folder)
    except TimedOut:
        raise
    except OSError:  # gone meanwhile, or not ours to read
        return ()
    except Exception:  # a bug in one reader must not hide the runs of the others
        _log.warning("looking for %s in %s failed; please report this", form.title, one_line(str(folder)))
        _log.debug("the error was", exc_info=True)
        return ()


def _formats_of(file_names: Sequence[str]) -> list[Format]:
    """The formats with a mark among these names; marks tell digits from other characters, not from each other."""
    shapes = {name.translate(_SAME_DIGITS) for name in file_names}
    return [form for form in FORMATS if any(map(form.fits, shapes))]


def _none_found(path: Path) -> str:
    try:
        return _seen_at(path)
    except (OSError, ValueError) as error:  # a name that is too long, a NUL in it
        return told(
            "{path} cannot be opened: {why}", path=_shortened(path), why=getattr(error, "strerror", None) or error
        )


def _seen_at(path: Path) -> str:
    kind = stat.S_IFMT(path.stat().st_mode) if path.exists() else 0
    if not kind:
        return told("{path} does not exist", path=path)
    if kind not in (stat.S_IFREG, stat.S_IFDIR):
        return told("{found}; give a run's folder", found=NotRegularFile(path, kind))
    forms = _formats_of([path.name]) if path.is_file() else []
    if {form.name for form in forms} == {_NOTEBOOK}:
        return told(
            "{path} shows no training: the outputs of its cells hold no table of steps, and no rows such as {examples}",
            path=path,
            examples=_EXAMPLES,
        )
    if forms:
        return told(
            "{path} is a file of no known format: its name is that of a log, but it holds no rows such as {examples}",
            path=path,
            examples=_EXAMPLES,
        )
    if path.is_file():
        return told(
            "{path} is a file of no known format (looked for {known}); give a run's folder", path=path, known=LOOKED_FOR
        )
    if not os.access(path, os.R_OK | os.X_OK):
        return told("{path} may not be read by this user", path=path)
    if not any(path.iterdir()):
        return told("{path} is an empty folder: no run has been written into it yet", path=path)
    return told(
        "{path} holds no known run (looked for {known}, here and in the folders below)", path=path, known=LOOKED_FOR
    )


def _shortened(path: Path) -> str:
    text = str(path).replace("\0", "\\0")
    return text if len(text) <= MOST_CHARACTERS else f"{text[:MOST_CHARACTERS]}…"


def _several_found(path: Path, found: list[RunRef]) -> str:
    listed = first_of([str(ref.path) for ref in found], MAX_LISTED)
    return told("{path} holds {count} runs, open one of them: {listed}", path=path, count=len(found), listed=listed)
