"""`rlvitals mcp`: a Model Context Protocol server over stdio, for programs that look at trainings."""

import sys
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path

from diagnostics.addresses import address_of, shown
from diagnostics.cli.command import CommandError, command_parser
from diagnostics.cli.packages import check_not_hidden
from diagnostics.cli.reading import log_path
from diagnostics.language import ENGLISH, _, language
from diagnostics.remote.following import wait_at_most

_DEFAULT = Path("runs")
_LEAST_VERSION = 2
_PATIENCE = 20.0  # seconds for logs that lie elsewhere: a client gives up on an answer that takes long


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
        "paths", metavar="PATH", nargs="*", type=log_path, help=_("folders that hold runs (default: ./runs)")
    )
    arguments.add_argument(
        "--allow-launch",
        action="store_true",
        help=_("offer tools that start and stop trainings, too; new runs go into the first"),
    )
    given = arguments.parse_args(words)
    folders = given.paths or [_DEFAULT]
    if missing := [folder for folder in folders if not address_of(folder) and not folder.exists()]:
        raise CommandError(_("there is no folder {folder}; name one that holds runs").format(folder=missing[0]))
    if (found := _version_of_mcp()) < _LEAST_VERSION:
        sentence = _("this needs mcp {least}, and {python} lacks it; run: {command}")
        if found:
            sentence = _("this needs mcp {least}, and {python} has version {version}; run: {command}")
        command = "pip install 'rlvitals[mcp]'"
        raise CommandError(sentence.format(least=_LEAST_VERSION, python=sys.executable, version=found, command=command))
    if given.allow_launch:
        if address_of(folders[0]):
            sentence = _("--allow-launch writes new runs into the first folder, and {address} lies elsewhere")
            raise CommandError(sentence.format(address=shown(folders[0])))
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

    wait_at_most(_PATIENCE)
    with language(ENGLISH):  # programs read the same everywhere
        make_server(Library(folders), allow_launch).run("stdio")
