"""`rlvitals train`: hands over to the trainer's process; with --apply-fixes it diagnoses the parent run first."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from diagnostics.api import UnreadableRun, diagnose, open_run
from diagnostics.cli.command import CommandError, Parser, print_note, without_language, write_result
from diagnostics.cli.packages import check_not_hidden, python_command
from diagnostics.language import VARIABLES, _, current_language
from diagnostics.model.cause import Cause
from diagnostics.model.outcome import Fix
from diagnostics.punctuation import clauses
from diagnostics.told import reason
from diagnostics.wording.findings import fix_line
from diagnostics.wording.messages import message_text

_APPLY = "--apply-fixes"
_HELP = frozenset({"-h", "--help"})


def run(words: Sequence[str]) -> int:
    """Become the training process; its exit code and its signals are then this command's own."""
    check_not_hidden("trainer")
    if _HELP & set(words):
        write_result(
            f"rlvitals train --from RUN {_APPLY}\n    "
            + _("changes what the diagnosis of RUN suggests, and trains again")
            + "\n"
        )
        words = ["--help" if word in _HELP else word for word in words]
    hand_over("train", *(_with_fixes(words) if _APPLY in words else words))


def hand_over(*words: str) -> NoReturn:
    """Replace this process by the trainer's: nothing is left between it and its terminal and signals."""
    sys.stdout.flush()
    sys.stderr.flush()
    command = python_command("trainer.main", *without_language(words))
    os.execve(command[0], command, {**os.environ, VARIABLES[0]: current_language()})


def _with_fixes(words: Sequence[str]) -> list[str]:
    """The trainer's arguments with --apply-fixes expanded; a field that was typed wins over a fix."""
    arguments = Parser("rlvitals train", add_help=False, allow_abbrev=False)
    arguments.add_argument("--from", dest="parent", type=Path)
    arguments.add_argument(_APPLY, action="store_true")
    own, rest = arguments.parse_known_args(words)
    if own.parent is None:
        sentence = _("{option} needs --from RUN: the fixes come from that run's diagnosis")
        raise CommandError(sentence.format(option=_APPLY))
    algorithm, fields = (rest[:1], rest[1:]) if rest and not rest[0].startswith("-") else ([], rest)
    return [*algorithm, "--from", str(own.parent), *_as_words(_fixes(own.parent)), *fields]


def _fixes(parent: Path) -> list[Fix]:
    try:
        diagnosis = diagnose(open_run(parent))
    except UnreadableRun as error:
        raise CommandError(reason(error)) from error
    for cause in diagnosis.causes:
        if fixes := _applicable(cause):
            sentence = _("{run}: {cause} Relaunching with {fixes}")
            changes = clauses(map(fix_line, fixes))
            print_note(sentence.format(run=parent, cause=message_text(cause.summary), fixes=changes))
            return fixes
    sentence = _("{run} shows no cause whose fix is a setting; give the changes yourself as --FIELD VALUE")
    raise CommandError(sentence.format(run=parent))


def _applicable(cause: Cause) -> list[Fix]:
    return [fix for fix in cause.fixes if fix.suggested is not None]


def _as_words(fixes: Sequence[Fix]) -> list[str]:
    return [word for fix in fixes for word in (f"--{fix.parameter}", _option_text(fix.suggested))]


def _option_text(value: Any) -> str:
    """A value as the trainer's command line takes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return ",".join(map(_option_text, value)) if isinstance(value, list | tuple) else str(value)
