"""`rlvitals stop`: asks a training to write a checkpoint and end."""

import subprocess
from collections.abc import Sequence
from pathlib import Path

from diagnostics.cli.command import CommandError, add_message_format, command_parser, write_message
from diagnostics.cli.packages import check_not_hidden, python_command
from diagnostics.cli.reading import path_here
from diagnostics.language import _

_SECONDS = 60.0  # for the trainer's process to say whether it could be stopped


def run(words: Sequence[str]) -> int:
    """Ask the trainer, which knows whether the run's process lives and is on this machine."""
    arguments = command_parser(
        "stop", _("Write a checkpoint, then end a training that rlvitals started."), ("rlvitals stop runs/a",)
    )
    arguments.add_argument("run", metavar="RUN", type=path_here, help=_("the run's folder"))
    add_message_format(arguments)
    given = arguments.parse_args(words)
    check_not_hidden("trainer")
    write_message(stop_run(given.run), given.format)
    return 0


def stop_run(run: Path) -> str:
    """What the trainer says that will happen. Raises CommandError where it refuses."""
    command = python_command("trainer.main", "stop", str(run))
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise CommandError(_("{run} could not be stopped: {error}").format(run=run, error=error)) from error
    if done.returncode:
        silent = _("the trainer ended with {code}").format(code=done.returncode)
        raise CommandError(done.stderr.strip().removeprefix("rlvitals: ") or silent)
    return done.stdout.strip()
