"""Asks the trainer's queue, in a process of its own, and gives its answer."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from diagnostics.cli.command import CommandError
from diagnostics.cli.packages import check_not_hidden, python_command
from diagnostics.language import _

_SECONDS = 120.0  # a script that names foreign code is hashed, and a folder may lie on a slow disk

Answer = dict[str, Any]


def ask_queue(recipes: Path | None = None, **request: Any) -> Answer:
    """The answer to a request, as `trainer.queueing` tells. Raises CommandError with its sentence where it refuses.

    `recipes` is the file of launch recipes; None: where it always is.
    """
    check_not_hidden("trainer")
    named = {} if recipes is None else {"RLVITALS_RECIPES": str(recipes.absolute())}
    try:
        done = subprocess.run(
            python_command("trainer.queueing"),
            input=json.dumps(request),
            env={**os.environ, **named},
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise CommandError(_("the queue does not answer: {error}").format(error=error)) from error
    if done.returncode:
        silent = _("the queue's process ended with {code}").format(code=done.returncode)
        raise CommandError(done.stderr.strip().removeprefix("rlvitals: ") or silent)
    return dict(json.loads(done.stdout))
