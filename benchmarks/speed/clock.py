"""The stopwatch of the speed benchmark: a reward function that records each call, which happens once per step.

The time between two calls is one whole step, the same for every trainer: generation, scoring, updates and logging.
"""

import json
import os
import resource
import time
from collections.abc import Sequence
from pathlib import Path

CLOCK_VARIABLE = "SPEED_CLOCK"
"""Environment variable that names the file of the notes: one JSON object per line."""


def record_time() -> None:
    """Append the CPU seconds of this process, the wall clock, and its peak memory so far (MiB)."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    line = json.dumps({"pid": os.getpid(), "cpu": time.process_time(), "wall": time.time(), "peak": peak})
    with Path(os.environ[CLOCK_VARIABLE]).open("a") as file:
        file.write(line + "\n")


def reward(prompts: Sequence[str], completions: Sequence[str], **columns: object) -> list[float]:
    """Record the time; the reward is the completion's length in characters, modulo 7, so that groups differ."""
    record_time()
    return [float(len(completion) % 7) for completion in completions]
