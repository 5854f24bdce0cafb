"""Folders that somebody else filled: the files and folders in one of them, and where links lead."""

import os
import re
import time
from fnmatch import translate
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from diagnostics.foreign_files.bounds import FOLDER_FILES, STEP_FILES
from diagnostics.foreign_files.cancellation import check_cancelled
from diagnostics.foreign_files.omissions import note_omission

_SETTLING_SECONDS = 2.0  # after a folder's change: clocks of file systems are coarse, and another file may follow


def files_in(folder: Path, *patterns: str, most: int = FOLDER_FILES) -> list[Path]:
    """The regular files directly in a folder with names of these patterns, the first ones by name; none if it is gone.

    Where there are more than `most`, the rest is an omission, which is the same whatever the patterns: a folder is told
    of once.
    """
    state = _settled_state(folder)
    found = _listed_once(folder, patterns, most, state) if state else _listed(folder, patterns, most)
    if found.is_cut:
        looked_at = f"of each kind the first {FOLDER_FILES:,} by name, or {STEP_FILES:,} with a step in their names"
        note_omission(f"{folder} holds more files than are looked at: {looked_at}")
    return list(found.files)


def folders_in(folder: Path) -> tuple[Path, ...]:
    """The folders directly in a folder, by name, without linked ones; none if it is gone."""
    state = _settled_state(folder)
    return _folders_once(folder, state) if state else _folders(folder)


_State = tuple[int, int]


def _settled_state(folder: Path) -> _State | None:
    """What changes with the content of a folder; None where it has just changed, or is gone."""
    try:
        change = folder.stat()
    except OSError:
        return None
    is_settled = time.time() - change.st_mtime >= _SETTLING_SECONDS
    return (change.st_ino, change.st_mtime_ns) if is_settled else None


class _Listed(NamedTuple):
    """The first files of a folder by name, and whether there are more."""

    files: tuple[Path, ...] = ()
    is_cut: bool = False


@lru_cache(maxsize=256)
def _listed_once(folder: Path, patterns: tuple[str, ...], most: int, state: _State) -> _Listed:
    """The files of a folder as of its last change: each of a thousand runs in it would otherwise list it again."""
    return _listed(folder, patterns, most)


@lru_cache(maxsize=256)
def _folders_once(folder: Path, state: _State) -> tuple[Path, ...]:
    return _folders(folder)


def _listed(folder: Path, patterns: tuple[str, ...], most: int) -> _Listed:
    try:
        with os.scandir(folder) as entries:
            found = {entry.name: entry for entry in entries if _pattern(patterns).match(entry.name)}
    except OSError:
        return _Listed()
    check_cancelled()
    names = sorted(found)
    return _Listed(tuple(folder / name for name in names[:most] if _is_file(found[name])), len(names) > most)


def _folders(folder: Path) -> tuple[Path, ...]:
    check_cancelled()
    try:
        with os.scandir(folder) as entries:
            names = sorted(entry.name for entry in entries if entry.is_dir(follow_symlinks=False))
    except OSError:
        return ()
    return tuple(folder / name for name in names)


def resolved(path: Path) -> Path:
    """A path without links; the path itself if its links form a loop."""
    try:
        return path.resolve()
    except (OSError, RuntimeError):
        return path.absolute()


def leads_into(path: Path, folder: Path) -> bool:
    """Whether a path stays within a folder, with all links followed."""
    try:
        return path.resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError, ValueError):  # a loop, a name that is too long, a NUL in it
        return False


def _is_file(entry: "os.DirEntry[str]") -> bool:
    try:
        return entry.is_file()
    except OSError:  # a loop of links
        return False


@cache
def _pattern(patterns: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(map(translate, patterns)))
