"""Trying reward functions: in a process of the trainer with a time limit, so that nobody's code runs in ours."""

import json
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

from diagnostics.preflight import Trial

SECONDS = 120.0
"""A reward function that has not answered by then is given up; loading a reward model takes a while."""


class TrialError(Exception):
    """The reward functions could not be tried; the message is one sentence."""


def try_rewards(algorithm: str, config: Mapping[str, Any], seconds: float = SECONDS) -> tuple[Trial, ...]:
    """What the reward functions of a training give to right, empty, junk and extreme answers.

    Args:
        config: The training's options, by the trainer's names.
        seconds: The process is killed when it takes longer.

    Raises:
        TrialError: the process took too long, or says why it cannot.
    """
    try:
        process = subprocess.run(
            [sys.executable, "-P", "-m", "trainer.main", "smoke"],
            input=json.dumps({"algorithm": algorithm, "config": dict(config)}, default=list),
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise TrialError(f"the reward functions gave no answer within {seconds:.0f} s") from error
    if process.returncode:
        lines = process.stderr.strip().splitlines() or [f"the trainer's process ended with {process.returncode}"]
        raise TrialError(lines[-1].removeprefix("rlvitals: "))
    return tuple(Trial(**item) for item in json.loads(process.stdout)["trials"])
