"""Learning curves of both trainers on the demo tasks: the same model, data, reward and options, several seeds each."""

import json
import math
import os
import statistics
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from diagnostics.runlog import EVENTS_FILE

STEPS = 30
BLOCK = 6  # steps averaged into one point of a curve
WIDEST_T: Mapping[int, float] = {
    2: 22.33,
    3: 7.173,
    4: 5.208,
    5: 4.501,
    6: 4.144,
    7: 3.930,
    8: 3.787,
    9: 3.686,
    10: 3.610,
}
"""By the number of seeds on each side: what Student's t exceeds by chance in 0.2 % of blocks."""

_PPO = {
    "task": "remarks",
    "learning_rate": 3e-4,
    "lr_scheduler_type": "constant_with_warmup",
    "warmup_steps": 5,
    "per_device_train_batch_size": 64,
    "response_length": 14,
    "num_ppo_epochs": 2,
    "num_mini_batches": 2,
    "kl_coef": 0.05,
    "max_grad_norm": 1e9,  # TRL's PPO does not clip gradients
    "max_steps": STEPS,
}
_GRPO = {
    "task": "addition",
    "learning_rate": 1e-4,
    "lr_scheduler_type": "constant",
    "warmup_steps": 0,
    "per_device_train_batch_size": 128,
    "num_generations": 16,
    "max_completion_length": 26,
    "beta": 0.02,
    "max_steps": STEPS,
}
SETTINGS: Mapping[str, dict[str, Any]] = {
    "grpo": _GRPO,
    "rloo": {**_GRPO, "num_generations": 4, "beta": 0.05},
    "ppo": _PPO,
    "ppo-full-length": {**_PPO, "stop_token": "none"},
}
"""Options of a curve, by its name, which begins with the algorithm's."""
_GROUP_METRICS = ("reward", "kl", "completions/mean_length")
METRICS = {"grpo": _GROUP_METRICS, "rloo": _GROUP_METRICS, "ppo": ("objective/scores", "objective/kl")}
"""What is compared, by algorithm."""

Curve = list[float]


@dataclass(frozen=True, slots=True)
class Block:
    """One metric over a block of steps: each seed's mean, on either side."""

    curve: str
    metric: str
    first: int
    last: int
    ours: Sequence[float]
    theirs: Sequence[float]

    @property
    def spread(self) -> float:
        """Standard deviation over seeds, pooled over both sides."""
        return ((statistics.variance(self.ours) + statistics.variance(self.theirs)) / 2) ** 0.5

    @property
    def t(self) -> float:
        """Student's t of the two means: their difference in standard errors."""
        distance = abs(statistics.fmean(self.ours) - statistics.fmean(self.theirs))
        if not self.spread:
            return math.inf if distance else 0.0
        return distance / (self.spread * math.sqrt(2 / len(self.ours)))

    @property
    def holds(self) -> bool:
        """Whether the spread over seeds explains the difference of the means; false for NaN."""
        return self.t <= WIDEST_T[len(self.ours)]


def algorithm_of(curve: str) -> str:
    """The algorithm of a curve."""
    return curve.partition("-")[0]


def train_both(curve: str, seed: int, folder: Path, trl_python: str) -> None:
    """Train once on each side with the same options; folder gets run/ (a run directory) and trl.json."""
    algorithm, values = algorithm_of(curve), {**SETTINGS[curve], "seed": seed, "num_threads": 1}
    words = [f"--{name}={value}" for name, value in values.items()]
    own = ["--report_to=none", "--save_strategy=no", "--use_cpu=true", "--run_dir", str(folder / "run")]
    command = [sys.executable, "-P", "-m", "trainer.main", "train", algorithm, *words, *own]
    subprocess.run(command, env={**os.environ, "OMP_NUM_THREADS": "1"}, check=True, capture_output=True)
    run_theirs(trl_python, f"benchmarks.trl_side.{algorithm}_curve", folder)


def run_theirs(trl_python: str, module: str, folder: Path) -> None:
    """Run a module of TRL's side, in its own environment with this repository on its path."""
    root = Path(__file__).resolve().parents[2]
    offline = {"HF_HUB_OFFLINE": "1", "HF_HUB_DISABLE_TELEMETRY": "1", "TRL_EXPERIMENTAL_SILENCE": "1"}
    environment = {**os.environ, **offline, "PYTHONPATH": str(root), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [trl_python, "-P", "-m", module, str(folder)], env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"{module} failed in {trl_python}:\n{done.stderr[-4000:]}")


def blocks(folders: Mapping[str, Sequence[Path]]) -> Iterator[Block]:
    """Every block of every curve, from the folders of `train_both`, one per seed, by the curve's name."""
    for curve, seeds in folders.items():
        ours = [_rows(folder / "run" / EVENTS_FILE) for folder in seeds]
        theirs = [json.loads((folder / "trl.json").read_text("utf-8")) for folder in seeds]
        for metric in METRICS[algorithm_of(curve)]:
            for first in range(0, STEPS, BLOCK):
                steps = slice(first, first + BLOCK)
                yield Block(
                    curve,
                    metric,
                    first + 1,
                    first + BLOCK,
                    [statistics.fmean(row[metric] for row in rows[steps]) for rows in ours],
                    [statistics.fmean(row[metric] for row in rows[steps]) for rows in theirs],
                )


def _rows(path: Path) -> list[dict[str, float]]:
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    return [line["metrics"] for line in lines if "metrics" in line]
