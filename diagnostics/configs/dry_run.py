"""Tries a training's rewards and policy before it starts, in a process of the trainer with a time limit."""

import contextlib
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from diagnostics.model.setup import Probe, Trial

SECONDS = 120.0
"""The time limit for a reward function's answer; loading a reward model takes a while."""


PROBE_SECONDS = 600.0
"""Loading a model and writing 32 answers takes longer."""

_LOOK_SECONDS = 0.2  # between two looks at whether the answer is still wanted


class TrialError(Exception):
    """The reward functions, or the policy, could not be tried; the message is one sentence."""


def _always_true() -> bool:
    return True


def try_rewards(
    algorithm: str,
    config: Mapping[str, Any],
    seconds: float = SECONDS,
    is_wanted: Callable[[], bool] = _always_true,
    *,
    trust: bool = False,
) -> tuple[Trial, ...]:
    """What the reward functions of a training give to right, empty, junk and extreme answers.

    Args:
        config: The training's options, by the trainer's names.
        seconds: The process is killed when it takes longer.
        is_wanted: Asked several times a second; the process is killed as soon as it says no.
        trust: Also run code of the user's that is not trusted yet, and remember its content as trusted.

    Raises:
        TrialError: the process took too long, was not wanted any more, or says why it cannot.
    """
    said = _answer_of(_command("smoke", trust), "the reward functions", algorithm, config, seconds, is_wanted)
    return tuple(Trial(**item) for item in said["trials"])


def probe_policy(
    algorithm: str,
    config: Mapping[str, Any],
    seconds: float = PROBE_SECONDS,
    is_wanted: Callable[[], bool] = _always_true,
    *,
    trust: bool = False,
) -> Probe:
    """How long the answers of the untrained policy get with four times the room; as `try_rewards` otherwise."""
    said = _answer_of(_command("probe", trust), "the untrained policy", algorithm, config, seconds, is_wanted)
    return Probe(tuple(said["lengths"]), said["room"])


def _command(name: str, trust: bool) -> list[str]:
    return [name, "--trust"] if trust else [name]


def _answer_of(
    command: Sequence[str],
    whom: str,
    algorithm: str,
    config: Mapping[str, Any],
    seconds: float,
    is_wanted: Callable[[], bool],
) -> dict[str, Any]:
    """The answer of a trainer process about a training."""
    words = [sys.executable, "-P", "-m", "trainer.main", *command]
    pipe = subprocess.PIPE
    with tempfile.TemporaryFile("w+", encoding="utf-8") as request:  # a pipe takes no long one at once
        json.dump({"algorithm": algorithm, "config": dict(config)}, request, default=list)
        request.seek(0)
        with subprocess.Popen(words, stdin=request, stdout=pipe, stderr=pipe, text=True) as process:
            try:
                output, complaints = _output_of(process, whom, seconds, is_wanted)
            finally:
                process.kill()  # nothing happens to one that has ended
    if process.returncode:
        raise TrialError(_last_message(complaints) or f"the trainer's process ended with {process.returncode}")
    answer: dict[str, Any] = json.loads(output)
    return answer


def _output_of(
    process: subprocess.Popen[str], whom: str, seconds: float, is_wanted: Callable[[], bool]
) -> tuple[str, str]:
    """The standard output and error output of the process, once it has ended."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if not is_wanted():
            raise TrialError(f"{whom}: given up before there was an answer")
        with contextlib.suppress(subprocess.TimeoutExpired):
            return process.communicate(timeout=min(_LOOK_SECONDS, seconds))
    raise TrialError(f"{whom} gave no answer within {seconds:.0f} s")


def _last_message(text: str) -> str:
    """The last thing that the trainer said for a person, on one line; else the last line, which tells an exception."""
    _, mark, message = f"\n{text}".rpartition("\nrlvitals: ")
    lines = message.split() if mark else text.strip().splitlines()[-1:]
    return " ".join(lines)
