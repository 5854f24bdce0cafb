"""Asks the trainer's queue, in a process of its own, and gives its answer."""

import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from diagnostics.cli.command import CommandError
from diagnostics.cli.packages import check_not_hidden, python_command
from diagnostics.language import _

_SECONDS = 120.0  # a script that names foreign code is hashed, and a folder may lie on a slow disk

Answer = dict[str, Any]


def use_recipes(file: Path | None) -> None:
    """Let the queue take its recipes from this file; None: from where it always does."""
    if file is not None:
        os.environ["RLVITALS_RECIPES"] = str(file.absolute())


def ask_queue(**request: Any) -> Answer:
    """The answer to a request, as `trainer.queueing` tells. Raises CommandError with its sentence where it refuses."""
    return _asked(request)


def _asked(request: Mapping[str, Any]) -> Answer:
    check_not_hidden("trainer")
    try:
        done = subprocess.run(
            python_command("trainer.queueing"),
            input=json.dumps(request),
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
