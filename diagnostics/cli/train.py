"""`rlvitals train`: hands over to the trainer's process; with --apply-fixes it diagnoses the parent run first."""

import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from diagnostics.addresses import address_of, shown
from diagnostics.api import UnreadableRun, diagnose, open_run
from diagnostics.cli.command import CommandError, Parser, print_note, without_language, write_result
from diagnostics.cli.packages import check_not_hidden, python_command
from diagnostics.cli.reading import bring_file, log_path
from diagnostics.cli.trainer_door import ask_queue
from diagnostics.language import VARIABLES, _, current_language
from diagnostics.model.cause import Cause
from diagnostics.model.outcome import Fix
from diagnostics.model.run import Run
from diagnostics.punctuation import clauses
from diagnostics.told import reason
from diagnostics.wording.findings import fix_line
from diagnostics.wording.messages import message_text

_APPLY, _TRY_EACH = "--apply-fixes", "--try-each"
_OURS = "rlvitals"  # the producer of runs of the bundled trainer
_HELP = frozenset({"-h", "--help"})


def run(words: Sequence[str]) -> int:
    """Become the training process; its exit code and its signals are then this command's own."""
    check_not_hidden("trainer")
    if _HELP & set(words):
        write_result(_help_of_fixes())
        words = ["--help" if word in _HELP else word for word in words]
    elif {_APPLY, _TRY_EACH} & set(words):
        return _apply(words)
    return hand_over("train", *_with_parent_here(words))


def _help_of_fixes() -> str:
    return (
        f"rlvitals train --from RUN {_APPLY}\n    "
        + _("changes what the diagnosis of RUN suggests, and trains again")
        + f"\nrlvitals train --from RUN {_TRY_EACH} [--seeds 1,2,3]\n    "
        + _("queues a training for each of the suggested changes alone, and with each seed")
        + "\n"
    )


def _with_parent_here(words: Sequence[str]) -> Sequence[str]:
    """The words, where the parent is named by an address with the path of its copy. Raises CommandError."""
    arguments = Parser("rlvitals train", add_help=False, allow_abbrev=False)
    arguments.add_argument("--from", dest="parent", type=log_path)
    own, rest = arguments.parse_known_args(words)
    if own.parent is None or not address_of(own.parent):
        return words
    bring_file(own.parent)
    return [*rest, "--from", str(own.parent)]


def hand_over(*words: str) -> NoReturn:
    """Replace this process by the trainer's: nothing is left between it and its terminal and signals."""
    sys.stdout.flush()
    sys.stderr.flush()
    command = python_command("trainer.main", *without_language(words))
    os.execve(command[0], command, {**os.environ, VARIABLES[0]: current_language()})


def _apply(words: Sequence[str]) -> int:
    """Relaunch with the fixes of a diagnosis; a field that was typed wins over a fix.

    A training of ours is started here. Each of several is queued, and so is what a launch recipe started.
    """
    arguments = Parser("rlvitals train", add_help=False, allow_abbrev=False)
    arguments.add_argument("--from", dest="parent", type=log_path)
    arguments.add_argument(_APPLY, action="store_true")
    arguments.add_argument(_TRY_EACH, action="store_true")
    arguments.add_argument("--seeds", default="")
    own, rest = arguments.parse_known_args(words)
    if own.parent is None:
        sentence = _("{option} needs --from RUN: the fixes come from that run's diagnosis")
        raise CommandError(sentence.format(option=_TRY_EACH if own.try_each else _APPLY))
    run = _opened(own.parent)
    fixes = _fixes(run, own.parent)
    algorithm, fields = (rest[:1], rest[1:]) if rest and not rest[0].startswith("-") else ([], rest)
    if run.producer == _OURS and not own.try_each:
        hand_over("train", *algorithm, "--from", str(own.parent), *_as_words(fixes), *fields)
    changes = [{fix.parameter: _option_text(fix.suggested)} for fix in fixes]
    if not own.try_each:
        changes = [{name: value for change in changes for name, value in change.items()}]
    seeds = [{"seed": seed} for seed in own.seeds.split(",") if seed] or [{}]
    typed = _typed(fields)
    return _queue(run, [{**change, **typed, **seed} for change in changes for seed in seeds])


def _queue(run: Run, variants: Sequence[Mapping[str, str]]) -> int:
    """Queue a relaunch of each variant, and say how they are compared."""
    answer = ask_queue(do="relaunch", run=str(run.path), variants=list(variants))
    lines = [
        _("job {number}: {run}, with {changes}").format(number=job["id"], run=job["name"], changes=_listed(variant))
        for job, variant in zip(answer["jobs"], variants, strict=True)
    ]
    folders = [job["folder"] for job in answer["jobs"]]
    command = shlex.join(["rlvitals", "compare", shown(run.path), *folders])
    write_result("\n".join([*lines, _("what became of them: {command}").format(command=command)]))
    return 0


def _listed(variant: Mapping[str, str]) -> str:
    return ", ".join(f"{name} {value}" for name, value in variant.items())


def _typed(fields: Sequence[str]) -> dict[str, str]:
    """The --name value pairs that were typed."""
    pairs: dict[str, list[str]] = {}
    name = ""
    for word in fields:
        if word.startswith("--"):
            name, sign, value = word[2:].partition("=")
            pairs[name] = [value] if sign else []
        elif name:
            pairs[name].append(word)
        else:
            raise CommandError(_("{word} is unexpected; options are written --name value").format(word=repr(word)))
    return {name: ",".join(values) or "true" for name, values in pairs.items()}


def _opened(parent: Path) -> Run:
    try:
        return open_run(parent)
    except UnreadableRun as error:
        raise CommandError(reason(error)) from error


def _fixes(run: Run, parent: Path) -> list[Fix]:
    for cause in diagnose(run).causes:
        if fixes := _applicable(cause):
            sentence = _("{run}: {cause} Relaunching with {fixes}")
            changes = clauses(map(fix_line, fixes))
            print_note(sentence.format(run=shown(parent), cause=message_text(cause.summary), fixes=changes))
            return fixes
    sentence = _("{run} shows no cause whose fix is a setting; give the changes yourself as --FIELD VALUE")
    raise CommandError(sentence.format(run=shown(parent)))


def _applicable(cause: Cause) -> list[Fix]:
    return [fix for fix in cause.fixes if fix.suggested is not None]


def _as_words(fixes: Sequence[Fix]) -> list[str]:
    return [word for fix in fixes for word in (f"--{fix.parameter}", _option_text(fix.suggested))]


def _option_text(value: Any) -> str:
    """A value as the trainer's command line takes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return ",".join(map(_option_text, value)) if isinstance(value, list | tuple) else str(value)
