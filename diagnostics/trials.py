"""Trying a training's parts before it starts: in a process of the trainer with a time limit, never in ours."""

import json
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

from diagnostics.preflight import Probe, Trial

SECONDS = 120.0
"""A reward function that has not answered by then is given up; loading a reward model takes a while."""


PROBE_SECONDS = 600.0
"""Loading a model and writing 32 answers takes longer."""


class TrialError(Exception):
    """The reward functions, or the policy, could not be tried; the message is one sentence."""


def try_rewards(algorithm: str, config: Mapping[str, Any], seconds: float = SECONDS) -> tuple[Trial, ...]:
    """What the reward functions of a training give to right, empty, junk and extreme answers.

    Args:
        config: The training's options, by the trainer's names.
        seconds: The process is killed when it takes longer.

    Raises:
        TrialError: the process took too long, or says why it cannot.
    """
    said = _asked("smoke", "the reward functions", algorithm, config, seconds)
    return tuple(Trial(**item) for item in said["trials"])


def probe_policy(algorithm: str, config: Mapping[str, Any], seconds: float = PROBE_SECONDS) -> Probe:
    """How long the answers of the untrained policy get with four times the room; as `try_rewards` otherwise."""
    said = _asked("probe", "the untrained policy", algorithm, config, seconds)
    return Probe(tuple(said["lengths"]), said["room"])


def _asked(command: str, whom: str, algorithm: str, config: Mapping[str, Any], seconds: float) -> dict[str, Any]:
    """What a process of the trainer says of a training."""
    try:
        process = subprocess.run(
            [sys.executable, "-P", "-m", "trainer.main", command],
            input=json.dumps({"algorithm": algorithm, "config": dict(config)}, default=list),
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise TrialError(f"{whom} gave no answer within {seconds:.0f} s") from error
    if process.returncode:
        lines = process.stderr.strip().splitlines() or [f"the trainer's process ended with {process.returncode}"]
        raise TrialError(lines[-1].removeprefix("rlvitals: "))
    said: dict[str, Any] = json.loads(process.stdout)
    return said
