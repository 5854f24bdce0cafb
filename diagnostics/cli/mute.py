"""`rlvitals mute`: writes into rlvitals.toml that a finding is known and meant, or takes that back."""

import argparse
from collections.abc import Sequence
from datetime import date
from pathlib import Path

from diagnostics.cli.command import CommandError, add_message_format, command_parser, did_you_mean, write_message
from diagnostics.cli.reading import path_here
from diagnostics.judge import FINDINGS
from diagnostics.language import _
from diagnostics.model.project import Mute
from diagnostics.producers.names_file import FILE
from diagnostics.project import ProjectFileError, add_mute, nearest_file, remove_mutes
from diagnostics.told import reason


def run(words: Sequence[str]) -> int:
    """Write the mute, or remove it."""
    given = _options().parse_args(words)
    if given.finding not in FINDINGS:
        hint = did_you_mean(given.finding, FINDINGS) or _("; {commands} list the names").format(
            commands="'rlvitals rules' and 'causes'"
        )
        sentence = _("there is no rule or cause called {name}{hint}")
        raise CommandError(sentence.format(name=repr(given.finding), hint=hint))
    if not given.path.is_dir():
        raise CommandError(_("{path} is no folder; name the one whose runs it is about").format(path=given.path))
    file = nearest_file(given.path) or given.path / FILE
    try:
        write_message(_removed(file, given) if given.undo else _added(file, given), given.format)
    except ProjectFileError as error:
        raise CommandError(reason(error)) from error
    return 0


def _options() -> argparse.ArgumentParser:
    arguments = command_parser(
        "mute",
        _(
            "Write into the nearest {file} that a finding is known and meant: reports and the page tell of it apart "
            "from\nthe others, and it no longer counts in the verdict."
        ).format(file=FILE),
        (
            'rlvitals mute truncation-high runs --reason "short answers are meant"',
            'rlvitals mute kl-too-high runs --run "grpo-*" --until 2027-01-31 --reason "no KL penalty here"',
            "rlvitals mute truncation-high runs --undo",
        ),
    )
    arguments.add_argument("finding", metavar="FINDING", help=_("a rule or a cause, by the name that reports give"))
    arguments.add_argument(
        "path",
        metavar="PATH",
        type=path_here,
        nargs="?",
        default=Path(),
        help=_("the folder of the runs (default: this one)"),
    )
    arguments.add_argument("--reason", default="", help=_("why; everybody who reads a report sees it"))
    arguments.add_argument(
        "--run", metavar="NAME", default="", help=_("only runs of this name, or ./PATH below the file; * for anything")
    )
    arguments.add_argument(
        "--until",
        metavar="DATE",
        type=_date,
        help=_("the last day on which it holds, as 2027-01-31 (default: for good)"),
    )
    arguments.add_argument("--undo", action="store_true", help=_("tell of it again"))
    add_message_format(arguments)
    return arguments


def _date(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(
            _("{text} is no date; write it as 2027-01-31").format(text=repr(text))
        ) from None


def _added(file: Path, given: argparse.Namespace) -> str:
    if not given.reason.strip():
        raise CommandError(_("a mute needs its reason: {option}").format(option='--reason "…"'))
    add_mute(file, Mute(given.finding, given.reason, given.run, given.until))
    return _("{finding} is muted in {file}.").format(finding=given.finding, file=file)


def _removed(file: Path, given: argparse.Namespace) -> str:
    if not file.exists() or not remove_mutes(file, given.finding, given.run or None):
        raise CommandError(_("{file} does not mute {finding}").format(file=file, finding=given.finding))
    return _("{finding} is told of again; {file} no longer mutes it.").format(finding=given.finding, file=file)
