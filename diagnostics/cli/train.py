"""`rlvitals train`: hands over to the trainer's process; with --apply-fixes it diagnoses the parent run first."""

import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from typing import NoReturn

from diagnostics.addresses import shown
from diagnostics.cli.command import CommandError, Parser, without_language, write_result
from diagnostics.cli.packages import check_not_hidden, python_command
from diagnostics.cli.reading import log_path
from diagnostics.cli.relaunching import APPLY, TRY_EACH, Relaunch, with_parent_here
from diagnostics.cli.trainer_door import ask_queue
from diagnostics.language import VARIABLES, _, current_language
from diagnostics.model.run import Run

_HELP = frozenset({"-h", "--help"})


def run(words: Sequence[str]) -> int:
    """Become the training process; its exit code and its signals are then this command's own."""
    check_not_hidden("trainer")
    if _HELP & set(words):
        write_result(_help_of_fixes())
        words = ["--help" if word in _HELP else word for word in words]
    elif {APPLY, TRY_EACH} & set(words):
        return _apply(words)
    return hand_over("train", *with_parent_here(words))


def _help_of_fixes() -> str:
    return (
        f"rlvitals train --from RUN {APPLY}\n    "
        + _("changes what the diagnosis of RUN suggests, and trains again")
        + f"\nrlvitals train --from RUN {TRY_EACH} [--seeds 1,2,3]\n    "
        + _("queues a training for each of the suggested changes alone, and with each seed")
        + "\n"
    )


def hand_over(*words: str) -> NoReturn:
    """Replace this process by the trainer's: nothing is left between it and its terminal and signals."""
    sys.stdout.flush()
    sys.stderr.flush()
    command = python_command("trainer.main", *without_language(words))
    os.execve(command[0], command, {**os.environ, VARIABLES[0]: current_language()})


def _apply(words: Sequence[str]) -> int:
    """Relaunch with the fixes of a diagnosis.

    A training of ours is started here. Each of several is queued, and so is what a launch recipe started.
    """
    arguments = Parser("rlvitals train", add_help=False, allow_abbrev=False)
    arguments.add_argument("--from", dest="parent", type=log_path)
    arguments.add_argument(APPLY, action="store_true")
    arguments.add_argument(TRY_EACH, action="store_true")
    arguments.add_argument("--seeds", default="")
    own, rest = arguments.parse_known_args(words)
    if own.parent is None:
        sentence = _("{option} needs --from RUN: the fixes come from that run's diagnosis")
        raise CommandError(sentence.format(option=TRY_EACH if own.try_each else APPLY))
    relaunch = Relaunch.read(own.parent, rest, has_fixes=True)
    if relaunch.is_ours and not own.try_each:
        hand_over("train", *relaunch.words())
    variants = relaunch.variant_of_each_fix() if own.try_each else [relaunch.variant()]
    seeds = [{"seed": seed} for seed in own.seeds.split(",") if seed] or [{}]
    return _queue(relaunch.run, [{**variant, **seed} for variant in variants for seed in seeds])


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
