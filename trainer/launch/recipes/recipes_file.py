"""The file of launch recipes: where it is, and what stands in it, checked to the last word.

Nothing of the dashboard writes it: whoever can change it decides what the page can start.
"""

import os
import re
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from diagnostics.foreign_files.documents import read_toml
from diagnostics.user_data import user_data_folder
from trainer.config.options import ConfigError, did_you_mean
from trainer.launch.error import LaunchError
from trainer.launch.executors import EXECUTORS, Resources
from trainer.launch.executors.resources import RESOURCE_HELP
from trainer.launch.recipes.launch_recipe import BUILT_IN, PLACE, LaunchRecipe
from trainer.launch.recipes.parameter import Kind, Parameter

VARIABLE = "RLVITALS_RECIPES"
_NAME = re.compile(r"\w[\w.-]{0,63}")
_PARAMETER_NAME = re.compile(r"[\w.]{1,100}")
_KEYS = ("command", "cwd", "title", "help", "logs", "slot", *EXECUTORS, "environment", "parameters")
_BOUNDS: Mapping[Kind, tuple[str, ...]] = {
    Kind.FLOAT: ("min", "max"),
    Kind.INT: ("min", "max"),
    Kind.BOOL: (),
    Kind.CHOICE: ("choices",),
    Kind.PATH: ("roots",),
    Kind.STR: ("pattern",),
}


def recipes_file() -> Path:
    """The file of RLVITALS_RECIPES, else `~/.local/share/rlvitals/recipes.toml`; it need not exist."""
    named = os.environ.get(VARIABLE)
    return Path(named) if named else user_data_folder() / "recipes.toml"


def load_recipes(file: Path | None = None) -> dict[str, LaunchRecipe]:
    """The recipes by name; none where the user has no file. Raises LaunchError for a file that is wrong."""
    place = file or recipes_file()
    if file is None and VARIABLE not in os.environ and not place.exists():
        return {}
    try:
        _check_own(place)
        return {name: _recipe(name, table, place) for name, table in _tables(read_toml(place)).items()}
    except OSError as error:
        raise LaunchError(f"the recipes file {place} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise LaunchError(f"the recipes file {place} is not used: {error}") from error


def recipe_named(name: str, file: Path | None = None) -> LaunchRecipe:
    """One of them. Raises LaunchError where there is none of this name."""
    known = load_recipes(file)
    if name not in known:
        hint = did_you_mean(name, known) or f"; it has {', '.join(known) or 'none'}"
        raise LaunchError(f"{file or recipes_file()} has no recipe {name!r}{hint}")
    return known[name]


def _check_own(file: Path) -> None:
    """It says what the page may start in the user's name: nobody else may have written it."""
    found = file.stat()
    if found.st_uid not in (os.geteuid(), 0) or found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise ValueError(f"others can change it, and it says what may be started; run: chmod go-w {file}")


def _tables(document: Mapping[str, Any]) -> Mapping[str, Any]:
    _check_keys(document, ("recipe",), "the file")
    tables = document.get("recipe")
    if not isinstance(tables, dict) or not tables:
        raise ValueError('it names no recipe; write [recipe.NAME] and below it command = ["python", "train.py"]')
    return tables


def _recipe(name: str, table: Any, file: Path) -> LaunchRecipe:
    where = f"recipe {name}"
    if not _NAME.fullmatch(name):
        raise ValueError(f"{name!r} is no name of a recipe: letters, digits, hyphens and dots")
    _check_keys(_mapping(table, where), _KEYS, where)
    folder = file.absolute().parent
    executor, resources = _cluster(table, where)
    recipe = LaunchRecipe(
        name,
        command=_words(table.get("command"), f"{where}: command"),
        cwd=folder / Path(_text(table, "cwd", where)).expanduser(),
        folder=folder,
        title=_text(table, "title", where),
        help=_text(table, "help", where),
        logs=_text(table, "logs", where) or "{run_dir}",
        slot=_text(table, "slot", where),
        executor=executor,
        resources=resources,
        environment=_environment(table.get("environment", {}), where),
        parameters={
            key: _parameter(key, value, where, folder)
            for key, value in _mapping(table.get("parameters", {}), f"{where}: parameters").items()
        },
    )
    _check_places(recipe, where)
    return recipe


def _cluster(table: Mapping[str, Any], where: str) -> tuple[str, dict[str, str]]:
    """The cluster that a recipe runs on and what is asked of it; nothing where it runs on this machine."""
    named = [name for name in EXECUTORS if name in table]
    if not named:
        return "", {}
    if len(named) > 1 or "slot" in table:
        raise ValueError(f"{where}: it runs in one place: on a cluster, or in a slot of this machine")
    where = f"{where}, {named[0]}"
    asked = _mapping(table[named[0]], where)
    _check_keys(asked, RESOURCE_HELP, where)
    if wrong := [name for name, value in asked.items() if isinstance(value, bool) or not isinstance(value, int | str)]:
        raise ValueError(f"{where}: {wrong[0]} is neither text nor a whole number")
    words = {name: str(value) for name, value in asked.items()}
    try:
        Resources.parse({name: word for name, word in words.items() if not PLACE.search(word)})
    except ConfigError as error:
        raise ValueError(f"{where}: {error}") from error
    return named[0], words


def _parameter(name: str, table: Any, where: str, folder: Path) -> Parameter:
    where = f"{where}, parameter {name}"
    if not _PARAMETER_NAME.fullmatch(name) or name in BUILT_IN:
        raise ValueError(f"{where}: that is no name of a parameter")
    kinds = ", ".join(Kind)
    kind = _mapping(table, where).get("type")
    if kind not in list(Kind):
        raise ValueError(f"{where}: its type is one of {kinds}, but is {kind!r}")
    bounds = _BOUNDS[Kind(kind)]
    _check_keys(table, ("type", "default", "help", *bounds), where)
    if missing := [bound for bound in bounds if bound not in table]:
        raise ValueError(f"{where}: a {kind} needs its bounds: {' and '.join(missing)}")
    default = table.get("default")
    parameter = Parameter(
        name,
        Kind(kind),
        default=None if default is None else str(default).lower() if isinstance(default, bool) else str(default),
        help=_text(table, "help", where),
        **_bounds(table, bounds, where, folder),
    )
    if parameter.default is not None:
        try:
            parameter.word(parameter.default)
        except LaunchError as error:
            raise ValueError(f"{where}: its default is out of its own bounds: {error}") from error
    return parameter


def _bounds(table: Mapping[str, Any], names: Iterable[str], where: str, folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in names:
        value = table[name]
        match name:
            case "min" | "max":
                if isinstance(value, bool) or not isinstance(value, int | float):
                    raise ValueError(f"{where}: {name} is no number: {value!r}")
                found["least" if name == "min" else "most"] = value
            case "choices":
                found[name] = _words(value, f"{where}: choices")
            case "roots":
                roots = _words(value, f"{where}: roots")
                found[name] = tuple(folder / Path(root).expanduser() for root in roots)
            case "pattern":
                found[name] = _pattern(value, where)
    return found


def _pattern(value: Any, where: str) -> str:
    try:
        return re.compile(value).pattern if isinstance(value, str) else _not_a_pattern(value)
    except (re.error, TypeError) as error:
        raise ValueError(f"{where}: pattern is no regular expression: {error}") from error


def _not_a_pattern(value: Any) -> str:
    raise TypeError(repr(value))


def _check_places(recipe: LaunchRecipe, where: str) -> None:
    """Every place can be filled, and every parameter goes somewhere."""
    filled = (*recipe.command, recipe.logs, *recipe.resources.values())
    named = {place for word in filled for place in PLACE.findall(word)}
    if unknown := sorted(named - recipe.parameters.keys() - set(BUILT_IN)):
        raise ValueError(f"{where}: nothing fills {{{unknown[0]}}}; add [{where.replace(' ', '.')}.parameters.…]")
    if unused := sorted(recipe.parameters.keys() - named):
        raise ValueError(f"{where}: its command has no place {{{unused[0]}}} for the parameter")


def _check_keys(table: Mapping[str, Any], known: Iterable[str], where: str) -> None:
    for key in table:
        if key not in known:
            raise ValueError(f"{where} has no {key!r}{did_you_mean(key, known)}")


def _mapping(value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"{where} is no table: {value!r}")
    return value


def _text(table: Mapping[str, Any], key: str, where: str) -> str:
    value = table.get(key, "")
    if not isinstance(value, str):
        raise ValueError(f"{where}: {key} is no text: {value!r}")
    return value


def _words(value: Any, where: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not value or not all(isinstance(word, str) and word for word in value):
        raise ValueError(f'{where} is no list of words such as ["python", "train.py"]')
    return tuple(value)


def _environment(value: Any, where: str) -> dict[str, str]:
    table = _mapping(value, f"{where}: environment")
    if wrong := [name for name, text in table.items() if not isinstance(text, str) or "=" in name or not name]:
        raise ValueError(f"{where}: environment {wrong[0]} is no text")
    return table
