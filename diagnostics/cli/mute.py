"""`rlvitals mute`: writes into rlvitals.toml that a finding is known and meant, or takes that back."""

import argparse
from collections.abc import Sequence
from datetime import date
from pathlib import Path

from diagnostics.cli.command import CommandError, add_message_format, command_parser, did_you_mean, write_message
from diagnostics.judge import FINDINGS
from diagnostics.model.project import Mute
from diagnostics.producers.names_file import FILE
from diagnostics.project import ProjectFileError, add_mute, nearest_file, remove_mutes


def run(words: Sequence[str]) -> int:
    """Write the mute, or remove it."""
    given = _options().parse_args(words)
    if given.finding not in FINDINGS:
        hint = did_you_mean(given.finding, FINDINGS) or "; 'rlvitals rules' and 'causes' list the names"
        raise CommandError(f"there is no rule or cause called {given.finding!r}{hint}")
    if not given.path.is_dir():
        raise CommandError(f"{given.path} is no folder; name the one whose runs it is about")
    file = nearest_file(given.path) or given.path / FILE
    try:
        write_message(_removed(file, given) if given.undo else _added(file, given), given.format)
    except ProjectFileError as error:
        raise CommandError(str(error)) from error
    return 0


def _options() -> argparse.ArgumentParser:
    arguments = command_parser(
        "mute",
        f"Write into the nearest {FILE} that a finding is known and meant: reports and the page tell of it apart from\n"
        "the others, and it no longer counts in the verdict.",
        (
            'rlvitals mute truncation-high runs --reason "short answers are meant"',
            'rlvitals mute kl-too-high runs --run "grpo-*" --until 2027-01-31 --reason "no KL penalty here"',
            "rlvitals mute truncation-high runs --undo",
        ),
    )
    arguments.add_argument("finding", metavar="FINDING", help="a rule or a cause, by the name that reports give")
    arguments.add_argument(
        "path", metavar="PATH", type=Path, nargs="?", default=Path(), help="the folder of the runs (default: this one)"
    )
    arguments.add_argument("--reason", default="", help="why; everybody who reads a report sees it")
    arguments.add_argument("--run", metavar="NAME", default="", help="only runs of this name, * for anything")
    arguments.add_argument(
        "--until", metavar="DATE", type=_date, help="the last day on which it holds, as 2027-01-31 (default: for good)"
    )
    arguments.add_argument("--undo", action="store_true", help="tell of it again")
    add_message_format(arguments)
    return arguments


def _date(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no date; write it as 2027-01-31") from None


def _added(file: Path, given: argparse.Namespace) -> str:
    if not given.reason.strip():
        raise CommandError('a mute needs its reason: --reason "…"')
    add_mute(file, Mute(given.finding, given.reason, given.run, given.until))
    return f"{given.finding} is muted in {file}."


def _removed(file: Path, given: argparse.Namespace) -> str:
    if not file.exists() or not remove_mutes(file, given.finding, given.run or None):
        raise CommandError(f"{file} does not mute {given.finding}")
    return f"{given.finding} is told of again; {file} no longer mutes it."
