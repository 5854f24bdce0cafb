"""Adds mutes to an rlvitals.toml and takes them out, and leaves everything else in it as it stands."""

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from diagnostics.foreign_files.door import read_text
from diagnostics.model.project import Mute
from diagnostics.project.reading import read_project

_TABLE = "muted"


class ProjectFileError(Exception):
    """The file cannot be changed; the message is one sentence that says what to do."""


def add_mute(file: Path, mute: Mute) -> None:
    """Write a mute into a file, which may be a new one; it replaces one of the same finding and runs.

    Raises ProjectFileError.
    """

    def added(tables: list[dict[str, Any]]) -> list[dict[str, Any]]:
        others = [table for table in tables if not _is_of(table, mute.finding, mute.run)]
        given = {"finding": mute.finding, "run": mute.run, "reason": mute.reason, "until": mute.until}
        return [*others, {name: value for name, value in given.items() if value}]

    _change(file, added)


def remove_mutes(file: Path, finding: str, run: str | None = None) -> int:
    """Take a finding's mutes out of a file, those of one pattern of runs where it is given; returns how many.

    Raises ProjectFileError.
    """
    removed = 0

    def without(tables: list[dict[str, Any]]) -> list[dict[str, Any]]:
        nonlocal removed
        kept = [table for table in tables if not _is_of(table, finding, run)]
        removed = len(tables) - len(kept)
        return kept

    _change(file, without)
    return removed


def _is_of(table: dict[str, Any], finding: str, run: str | None) -> bool:
    return table.get("finding") == finding and run in (None, table.get("run", ""))


def _change(file: Path, change: Callable[[list[dict[str, Any]]], list[dict[str, Any]]]) -> None:
    import tomlkit  # noqa: PLC0415 - only who writes the file needs it

    if file.exists() and (problem := read_project(file).problem):
        raise ProjectFileError(f"{problem}; mend it first")
    try:
        document = tomlkit.parse(read_text(file) if file.exists() else "")
        before: list[dict[str, Any]] = [dict(table) for table in document.get(_TABLE, [])]
        document.pop(_TABLE, None)
        after = change(before)
        if after:
            tables = tomlkit.aot()
            for entries in after:
                table = tomlkit.table()
                table.update(entries)
                tables.append(table)
            document[_TABLE] = tables
        _replace(file, tomlkit.dumps(document))
    except OSError as error:
        raise ProjectFileError(f"cannot write {file}: {error.strerror}") from error


def _replace(file: Path, text: str) -> None:
    """Put the whole new file in the place of the old one at once: a reader never sees half of it."""
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=file.parent, prefix=file.name, delete=False) as new:
        new.write(text)
    if file.exists():
        os.chmod(new.name, file.stat().st_mode & 0o777)  # noqa: PTH101 - of a name
    Path(new.name).replace(file)
