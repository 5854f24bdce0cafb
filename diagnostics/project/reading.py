"""Reads the limits and mutes of an rlvitals.toml; whatever is wrong with them is a sentence and costs them alone."""

from collections.abc import Iterable, Mapping
from datetime import date, datetime
from pathlib import Path
from typing import Any

from diagnostics.foreign_files.documents import read_toml
from diagnostics.language import N_
from diagnostics.model.project import NO_PROJECT, Mute, Project
from diagnostics.producers.names_file import FILE
from diagnostics.told import told

_UNUSED = N_("{file}: {why}; its limits and mutes are not used")
_MUTE_KEYS = ("finding", "reason", "run", "until")

_Stamp = tuple[Path, int, int]  # file, time of its last change, size


class ProjectFile:
    """The nearest rlvitals.toml in a run's folder or above it, read again whenever it changed."""

    def __init__(self, run: Path) -> None:
        self._run = run
        self._stamp: _Stamp | None = None
        self._project = NO_PROJECT

    def newest(self) -> Project:
        """What the file says now; costs microseconds where it is as before."""
        stamp = _stamp(self._run)
        if stamp != self._stamp:
            self._stamp, self._project = stamp, read_project(stamp[0]) if stamp else NO_PROJECT
        return self._project


def nearest_file(path: Path) -> Path | None:
    """The nearest rlvitals.toml in a folder or above it; None where there is none."""
    found = _stamp(path)
    return found[0] if found else None


def file_for(run: Path, folders: Iterable[Path]) -> Path:
    """The file to change for a run: the nearest, else a new one in the outermost of these folders that holds the run.

    A folder that is itself the run holds no file of the project's; its parent does.
    """
    if found := nearest_file(run):
        return found
    place = run.absolute()
    holding = [folder.absolute() for folder in folders if folder.absolute() in place.parents and folder.is_dir()]
    return min(holding, key=lambda folder: len(folder.parts), default=place.parent) / FILE


def project_changed(run: Path) -> int:
    """When the nearest rlvitals.toml of a run was last changed, in nanoseconds; 0 where there is none."""
    found = _stamp(run)
    return found[1] if found else 0


def _stamp(path: Path) -> _Stamp | None:
    for folder in (path, *path.absolute().parents):
        file = folder / FILE
        try:
            state = file.stat()
        except (OSError, ValueError):  # also of what lies below a file
            continue
        return file, state.st_mtime_ns, state.st_size
    return None


def read_project(file: Path) -> Project:
    """The limits and mutes of a file; its `problem` says why they cannot be used."""
    try:
        document = read_toml(file)
        mutes = document.get("muted", [])
        if not isinstance(mutes, list):
            raise ValueError(told("muted is no list of tables; write [[muted]] above each"))
        return Project(str(file), _limits(document), tuple(map(_mute, mutes)))
    except OSError as error:
        return Project(str(file), problem=told("cannot read {file}: {why}", file=file, why=error.strerror))
    except ValueError as error:
        return Project(str(file), problem=told(_UNUSED, file=file, why=error.args[0]))


def _limits(document: Mapping[str, Any]) -> Mapping[str, Mapping[str, float]]:
    found = document.get("limits", {})
    if not isinstance(found, dict) or not all(isinstance(table, dict) for table in found.values()):
        raise ValueError(
            told("limits holds something beside tables; write [limits.rule-name] and field = value below it")
        )
    return found


def _mute(given: object) -> Mute:
    if not isinstance(given, dict):
        raise ValueError(told("muted holds something beside tables; write [[muted]] above each"))
    for name in given:
        if name not in _MUTE_KEYS:
            raise ValueError(
                told("[[muted]] has no key {name}; known are {known}", name=repr(name), known=", ".join(_MUTE_KEYS))
            )
    until = given.get("until")
    if isinstance(until, datetime) or not isinstance(until, date | None):
        raise ValueError(
            told("until = {found} is no date; write it as until = 2027-01-31, without quotes", found=repr(until))
        )
    words = {name: given.get(name, "") for name in ("finding", "reason", "run")}
    for name, word in words.items():
        if not isinstance(word, str) or (name != "run" and not word.strip()):
            raise ValueError(
                told("[[muted]] needs {name} = a text in quotes: each mute names a finding and its reason", name=name)
            )
    return Mute(**words, until=until)
