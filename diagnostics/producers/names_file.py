"""Names files: TOML in which `"tag" = "metric"` below `[metrics]` says what a user's own tags mean.

A tag may be given as a table, `{ metric = "…", scale = 0.01, negate = true }`, and `[run]` may name the `producer` and
the `algorithm`. A file called rlvitals.toml counts for every run in its folder and below it.
"""

import difflib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from diagnostics.foreign_files.documents import read_toml
from diagnostics.model.vocabulary import METRICS, metric
from diagnostics.producers.own_names import OwnName, OwnNames
from diagnostics.told import told

FILE = "rlvitals.toml"
ALGORITHMS = ("ppo", "ppo-legacy", "grpo", "rloo", "online-dpo")
_TABLES = ("metrics", "run", "limits", "muted")  # the last two are read by `diagnostics.project`
_RUN_KEYS = ("producer", "algorithm")
_NAME_KEYS = ("metric", "scale", "negate")


class NamesError(ValueError):
    """A names file cannot be used; the message is one sentence that names the file and what to change."""


def names_above(path: Path) -> OwnNames | None:
    """The names of the nearest rlvitals.toml in a run's folder or above it; None where there is none.

    Raises NamesError.
    """
    folders = [path, *path.absolute().parents]
    found = next((folder / FILE for folder in folders if (folder / FILE).is_file()), None)
    return read_names(found) if found else None


def read_names(file: Path) -> OwnNames:
    """The names that a file gives. Raises NamesError."""
    try:
        document = read_toml(file)
    except OSError as error:
        raise NamesError(told("cannot read the names file {file}: {why}", file=file, why=error.strerror)) from error
    except ValueError as error:
        raise NamesError(told("the names file {file} is not TOML: {why}", file=file, why=error)) from error
    _check_known(file, "table", document, _TABLES)
    run = _table(file, document, "run")
    _check_known(file, "key of [run]", run, _RUN_KEYS)
    algorithm = str(run.get("algorithm", ""))
    if algorithm:
        _check_known(file, "algorithm", [algorithm], ALGORITHMS)
    names = {tag: _name(file, tag, value) for tag, value in _table(file, document, "metrics").items()}
    return OwnNames(names, file.name, str(run.get("producer", "")), algorithm)


def _name(file: Path, tag: str, value: Any) -> OwnName:
    given = {"metric": value} if isinstance(value, str) else value
    if not isinstance(given, Mapping) or not isinstance(given.get("metric"), str):
        hint = told(' write "tag" = "metric", in quotes where the tag holds a slash or a dot')
        raise NamesError(told("{file}: {tag} names no metric;{hint}", file=file, tag=tag, hint=hint))
    _check_known(file, told("key of {tag}", tag=tag), given, _NAME_KEYS)
    name, scale, negate = given["metric"], given.get("scale", 1.0), given.get("negate", False)
    if metric(name) is None:
        nearest = _nearest(name, [entry.name for entry in METRICS])
        raise NamesError(
            told(
                "{file}: {tag} = {name}: there is no such metric{nearest}; 'rlvitals metrics' lists them",
                file=file,
                tag=tag,
                name=repr(name),
                nearest=nearest,
            )
        )
    if isinstance(scale, bool) or not isinstance(scale, int | float) or not isinstance(negate, bool):
        raise NamesError(told("{file}: {tag}: scale is a number and negate is true or false", file=file, tag=tag))
    return OwnName(name, -float(scale) if negate else float(scale))


def _table(file: Path, document: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = document.get(name, {})
    if not isinstance(found, Mapping):
        raise NamesError(told("{file}: {name} is a value; write [{name}] and the names below it", file=file, name=name))
    return found


def _check_known(file: Path, what: str, given: Iterable[str], known: Iterable[str]) -> None:
    for name in given:
        if name not in known:
            raise NamesError(
                told(
                    "{file}: there is no {what} {name}{nearest}; known are {known}",
                    file=file,
                    what=what,
                    name=repr(name),
                    nearest=_nearest(name, known),
                    known=", ".join(known),
                )
            )


def _nearest(name: str, known: Iterable[str]) -> str:
    found = difflib.get_close_matches(name, list(known), n=1)
    return told("; did you mean {name}?", name=repr(found[0])) if found else ""
