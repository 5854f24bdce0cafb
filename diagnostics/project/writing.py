"""Changes the mutes and the limits of an rlvitals.toml, and leaves everything else in it as it stands."""

import json
import os
import tempfile
import threading
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from diagnostics.foreign_files.door import read_text
from diagnostics.model.project import Mute
from diagnostics.project.reading import read_project
from diagnostics.told import told

_MUTED, _LIMITS = "muted", "limits"
_changing = threading.Lock()  # pages of one dashboard may write at the same moment


class ProjectFileError(Exception):
    """The file cannot be changed; the message is one sentence that says what to do."""


def add_mute(file: Path, mute: Mute) -> None:
    """Write a mute into a file, which may be a new one; it replaces one of the same finding and runs.

    Raises ProjectFileError.
    """
    given = {"finding": mute.finding, "run": mute.run, "reason": mute.reason, "until": mute.until}

    def added(document: Any) -> None:
        _remove(document, mute.finding, mute.run)
        _tables(document).append(_table({name: value for name, value in given.items() if value}))

    _change(file, added)


def remove_mutes(file: Path, finding: str, run: str | None = None) -> int:
    """Take a finding's mutes out of a file, those of one pattern of runs where it is given; returns how many.

    Raises ProjectFileError.
    """
    removed = 0

    def without(document: Any) -> None:
        nonlocal removed
        removed = _remove(document, finding, run)

    _change(file, without)
    return removed


def set_limits(file: Path, rule: str, values: Mapping[str, float | None]) -> None:
    """Write limits of a rule into a file, which may be a new one; None takes one out, so that its default counts.

    The rules check beforehand that the limits exist and the values fit. Raises ProjectFileError.
    """

    def changed(document: Any) -> None:
        import tomlkit  # noqa: PLC0415

        limits = document.setdefault(_LIMITS, tomlkit.table(is_super_table=True))
        table = limits.setdefault(rule, {})
        for name, value in values.items():
            if value is not None:
                table[name] = value
            else:
                table.pop(name, None)
        if not table:
            limits.pop(rule)
        if not limits:
            document.pop(_LIMITS)

    _change(file, changed)


def _remove(document: Any, finding: str, run: str | None) -> int:
    """Take the mutes of a finding out of a document; those that stay keep their comments."""
    if _MUTED not in document:
        return 0
    tables = _tables(document)
    found = [index for index, table in enumerate(tables) if _is_of(table, finding, run)]
    for index in reversed(found):
        del tables[index]
    if not len(tables):
        document.pop(_MUTED)
    return len(found)


def _is_of(table: Mapping[str, Any], finding: str, run: str | None) -> bool:
    return table.get("finding") == finding and run in (None, table.get("run", ""))


def _tables(document: Any) -> Any:
    """The mutes of a document as tables that can be changed in their place."""
    import tomlkit  # noqa: PLC0415
    from tomlkit.items import AoT  # noqa: PLC0415

    found = document.get(_MUTED, ())
    if not isinstance(found, AoT):  # none, or a list of tables in one line
        document.pop(_MUTED, None)
        document[_MUTED] = tomlkit.aot()
        for table in found:
            document[_MUTED].append(_table(table))
    return document[_MUTED]


def _table(entries: Mapping[str, Any]) -> Any:
    import tomlkit  # noqa: PLC0415

    table = tomlkit.table()
    table.trivia.indent = "\n"  # a free line above it
    table.update(entries)
    return table


def _change(file: Path, change: Callable[[Any], None]) -> None:
    import tomlkit  # noqa: PLC0415 - only who writes the file needs it
    from tomlkit.exceptions import TOMLKitError  # noqa: PLC0415

    try:
        with _changing:
            if file.exists() and (problem := read_project(file).problem):
                raise ProjectFileError(told("{problem}; mend it first", problem=problem))
            document = tomlkit.parse(read_text(file) if file.exists() else "")
            change(document)
            _replace(file, _checked(document))
    except OSError as error:
        raise ProjectFileError(told("cannot write {file}: {why}", file=file, why=error.strerror)) from error
    except (TOMLKitError, ValueError) as error:  # TOML can say the same in ways that cannot be added to
        sentence = told("{file} cannot be changed as it is written ({why}); change it by hand", file=file, why=error)
        raise ProjectFileError(sentence) from error


def _checked(document: Any) -> str:
    """The text of a changed document. Raises ValueError where it would say something else than the document does."""
    import tomlkit  # noqa: PLC0415

    text = tomlkit.dumps(document)
    if _compared(tomllib.loads(text)) != _compared(document.unwrap()):
        raise ValueError(told("its dotted keys stand where tables would go"))
    return text


def _compared(content: Mapping[str, Any]) -> str:
    """The same for the same content, also where a NaN is in it."""
    return json.dumps(content, sort_keys=True, default=repr)


def _replace(file: Path, text: str) -> None:
    """Put the whole new file in the place of the old one at once: a reader never sees half of it."""
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=file.parent, prefix=file.name, delete=False) as new:
        new.write(text)
    if file.exists():
        os.chmod(new.name, file.stat().st_mode & 0o777)  # noqa: PTH101 - of a name
    Path(new.name).replace(file)
