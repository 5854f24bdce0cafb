"""`rlvitals mcp`: a Model Context Protocol server over stdio, for programs that look at trainings."""

import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from diagnostics.cli.command import CommandError, command_parser
from diagnostics.cli.packages import check_not_hidden

_DEFAULT = Path("runs")


def run(words: Sequence[str]) -> int:
    """Serve on standard input and output until the client closes them."""
    arguments = command_parser(
        "mcp",
        "Serve the Model Context Protocol over standard input and output: tools that list, diagnose, compare and\n"
        "wait for the runs below these folders, and nothing outside of them.",
        ("rlvitals mcp runs", "rlvitals mcp runs ~/experiments --allow-launch"),
    )
    arguments.add_argument(
        "paths", metavar="PATH", nargs="*", type=Path, help="folders that hold runs (default: ./runs)"
    )
    arguments.add_argument(
        "--allow-launch",
        action="store_true",
        help="offer tools that start and stop trainings, too; new runs go into the first",
    )
    given = arguments.parse_args(words)
    folders = given.paths or [_DEFAULT]
    if missing := [folder for folder in folders if not folder.exists()]:
        raise CommandError(f"there is no folder {missing[0]}; name one that holds runs")
    if find_spec("mcp") is None or find_spec("mcp.types") is None:
        raise CommandError(f"this needs mcp 2, which {sys.executable} lacks; run: pip install 'rlvitals[mcp]'")
    if given.allow_launch:
        check_not_hidden("trainer")
    _serve(tuple(folders), allow_launch=given.allow_launch)
    return 0


def _serve(folders: tuple[Path, ...], *, allow_launch: bool) -> None:
    from diagnostics.mcp.opening import Library  # noqa: PLC0415 - only a server needs them
    from diagnostics.mcp.server import make_server  # noqa: PLC0415 - imports mcp, which is optional

    make_server(Library(folders), allow_launch).run("stdio")
