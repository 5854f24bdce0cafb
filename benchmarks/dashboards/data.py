"""The runs that every dashboard shows: forty tags of a GRPO training, as an event file and in trackio's database."""

import math
import os
import random
import subprocess
from collections.abc import Iterator
from pathlib import Path

from benchmarks.event_files import START, event, scalar, write

FUNCTIONS = 8
CRUCIAL = ["reward", "kl", "clip_ratio/region_mean", "completions/clipped_ratio"]
CRUCIAL += [f"rewards/function_{number}/mean" for number in range(FUNCTIONS)]
"""The twelve that ours shows first."""

TAGS = [*CRUCIAL, *(f"rewards/function_{number}/std" for number in range(FUNCTIONS))]
TAGS += [
    "loss",
    "grad_norm",
    "learning_rate",
    "entropy",
    "reward_std",
    "frac_reward_zero_std",
    "step_time",
    "num_tokens",
]
TAGS += [f"completions/{kind}_length" for kind in ("mean", "min", "max")]
TAGS += [f"completions/{kind}_terminated_length" for kind in ("mean", "min", "max")]
TAGS += [f"clip_ratio/{kind}" for kind in ("low_mean", "low_min", "high_mean", "high_max")]
TAGS += ["epoch", "sampling/importance_sampling_ratio/mean"]

TRACKIO_SCRIPT = Path(__file__).parents[1] / "peers" / "trackio_log.py"
PROJECT = "benchmark"


def values_of(step: int, draw: random.Random) -> dict[str, float]:
    """One step of a healthy training, noisy."""
    level = 1 - math.exp(-step / 2000)
    return {tag: 0.05 + 0.5 * level + 0.1 * draw.random() for tag in TAGS}


def event_file(folder: Path, steps: int, seed: int = 0) -> None:
    """Write a run as TRL's callback does: one record for each tag of each step."""
    write(folder, _events(steps, seed))


def _events(steps: int, seed: int) -> Iterator[bytes]:
    draw = random.Random(seed)
    for step in range(1, steps + 1):
        for tag, value in values_of(step, draw).items():
            yield event(step, START + step, scalar(f"train/{tag}", value))


def trackio_database(python: Path, folder: Path, steps: int) -> None:
    """Log the same run into trackio's database, by trackio itself."""
    folder.mkdir(parents=True, exist_ok=True)
    environment = os.environ | {"TRACKIO_DIR": str(folder)}
    tags = [f"train/{tag}" for tag in TAGS]
    subprocess.run(
        [python, TRACKIO_SCRIPT, PROJECT, str(steps), *tags], check=True, env=environment, capture_output=True
    )
