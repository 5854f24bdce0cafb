"""`rlvitals recipes`: the launch recipes of the user's file, and ready ones to begin with."""

import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from diagnostics.cli.command import (
    CommandError,
    add_output,
    command_parser,
    output_style,
    print_note,
    write_result,
)
from diagnostics.cli.packages import folder_of
from diagnostics.cli.trainer_door import ask_queue
from diagnostics.language import N_, _
from diagnostics.report.strict_json import to_json
from diagnostics.report.table_forms import Table

_COLUMNS = {
    "recipe": N_("Recipe"),
    "parameter": N_("Parameter"),
    "default": N_("Default"),
    "bounds": N_("Bounds"),
    "help": N_("Meaning"),
}
_READY = Path("launch") / "recipes" / "ready"


def run(words: Sequence[str]) -> int:
    """List the recipes, or write the ready ones into a folder."""
    arguments = command_parser(
        "recipes",
        _("List the launch recipes: commands of your own scripts that the page and the queue may start."),
        ("rlvitals recipes", "rlvitals recipes --to my_recipes", "rlvitals recipes --recipes my_recipes/recipes.toml"),
    )
    arguments.add_argument("--recipes", metavar="FILE", type=Path, help=recipes_help())
    arguments.add_argument(
        "--to", metavar="DIR", type=Path, help=_("write ready recipes for TRL's GRPO, RLOO and PPO here")
    )
    add_output(arguments)
    given = arguments.parse_args(words)
    file = given.recipes
    if given.to is not None:
        _write_ready(given.to)
        file = given.to / "recipes.toml"
    answer = ask_queue(file, do="recipes")
    if given.format == "json":
        write_result(to_json(answer), given.output)
    elif rows := [row for recipe in answer["recipes"] for row in _rows(recipe)]:
        write_result(Table("recipes", _COLUMNS, rows).render(given.format, output_style(given.output)), given.output)
    else:
        print_note(_("there is no recipe in {file}; rlvitals recipes --to DIR writes some").format(file=answer["file"]))
    return 0


def recipes_help() -> str:
    """The help of every --recipes."""
    return _("the launch recipes (default: recipes.toml in your data folder)")


def _rows(recipe: Mapping[str, Any]) -> list[dict[str, Any]]:
    first = {"recipe": recipe["name"], "help": recipe["title"] or recipe["help"]}
    return [first, *({**parameter, "parameter": parameter["name"]} for parameter in recipe["parameters"])]


def _write_ready(target: Path) -> None:
    """Copy the ready recipes and their scripts; nothing that is there is replaced."""
    source = folder_of("trainer", "trainer", ()) / _READY
    files = sorted(path for path in source.iterdir() if path.suffix in (".toml", ".py"))
    if taken := [path.name for path in files if os.path.lexists(target / path.name)]:
        raise CommandError(_("{file} is there already; name another folder").format(file=target / taken[0]))
    try:
        target.mkdir(parents=True, exist_ok=True)
        for path in files:
            shutil.copyfile(path, target / path.name)
            (target / path.name).chmod(0o644)
    except OSError as error:
        sentence = _("cannot write {file}: {error}; name a folder that can be written")
        raise CommandError(sentence.format(file=target, error=error.strerror)) from error
    print_note(_("the recipes and their scripts are in {folder}").format(folder=target))
