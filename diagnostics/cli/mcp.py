"""`rlvitals mcp`: a Model Context Protocol server over stdio, for programs that look at trainings."""

import sys
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path

from diagnostics.cli.command import CommandError, command_parser
from diagnostics.cli.packages import check_not_hidden
from diagnostics.language import ENGLISH, _, language

_DEFAULT = Path("runs")
_LEAST_VERSION = 2


def run(words: Sequence[str]) -> int:
    """Serve on standard input and output until the client closes them."""
    arguments = command_parser(
        "mcp",
        _(
            "Serve the Model Context Protocol over standard input and output: tools that list, diagnose, compare and\n"
            "wait for the runs below these folders, and nothing outside of them."
        ),
        ("rlvitals mcp runs", "rlvitals mcp runs ~/experiments --allow-launch"),
    )
    arguments.add_argument(
        "paths", metavar="PATH", nargs="*", type=Path, help=_("folders that hold runs (default: ./runs)")
    )
    arguments.add_argument(
        "--allow-launch",
        action="store_true",
        help=_("offer tools that start and stop trainings, too; new runs go into the first"),
    )
    given = arguments.parse_args(words)
    folders = given.paths or [_DEFAULT]
    if missing := [folder for folder in folders if not folder.exists()]:
        raise CommandError(_("there is no folder {folder}; name one that holds runs").format(folder=missing[0]))
    if (found := _version_of_mcp()) < _LEAST_VERSION:
        sentence = _("this needs mcp {least}, and {python} lacks it; run: {command}")
        if found:
            sentence = _("this needs mcp {least}, and {python} has version {version}; run: {command}")
        command = "pip install 'rlvitals[mcp]'"
        raise CommandError(sentence.format(least=_LEAST_VERSION, python=sys.executable, version=found, command=command))
    if given.allow_launch:
        check_not_hidden("trainer")
    _serve(tuple(folders), allow_launch=given.allow_launch)
    return 0


def _version_of_mcp() -> int:
    """Of the package: the first part of its version; 0 where there is none."""
    try:
        return int(metadata.version("mcp").partition(".")[0])
    except (metadata.PackageNotFoundError, ValueError):
        return 0


def _serve(folders: tuple[Path, ...], *, allow_launch: bool) -> None:
    from diagnostics.mcp.opening import Library  # noqa: PLC0415 - only a server needs them
    from diagnostics.mcp.server import make_server  # noqa: PLC0415 - imports mcp, which is optional

    with language(ENGLISH):  # programs read the same everywhere
        make_server(Library(folders), allow_launch).run("stdio")
