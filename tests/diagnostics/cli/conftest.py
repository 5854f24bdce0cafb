"""Shared by the command-line tests: the installed command in a process, and run directories to run it on."""

import math
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from diagnostics.runlog import RunLog

COMMAND = Path(sys.executable).with_name("rlvitals")

Rlvitals = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def rlvitals(tmp_path: Path) -> Rlvitals:
    """Runs the installed command in an empty folder, so that nothing is imported from the repository by accident."""

    def run(*words: str | Path, cwd: Path | None = None, **environment: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [COMMAND, *words],
            cwd=cwd or tmp_path,
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    return run


@pytest.fixture
def healthy_run(tmp_path: Path) -> Path:
    """A GRPO run of 40 steps that learns and stays clear of every limit."""
    return write_grpo_run(tmp_path / "runs" / "healthy", truncated=0.02)


@pytest.fixture
def cut_off_run(tmp_path: Path) -> Path:
    """A GRPO run whose completions are truncated from the first step to the last."""
    return write_grpo_run(tmp_path / "runs" / "cut-off", truncated=0.95)


@pytest.fixture
def grpo_run() -> Callable[..., Path]:
    """Writes a GRPO run with a given share of truncated completions."""
    return write_grpo_run


@pytest.fixture
def nan_run(tmp_path: Path) -> Path:
    """A PPO run whose value loss is NaN from step 20 on."""
    directory = tmp_path / "runs" / "nan"
    with RunLog(directory, algorithm="ppo", config={"learning_rate": 1e-3}, total=40) as log:
        for step in range(1, 41):
            log.log(step, {"objective/scores": step / 40, "loss/value_avg": math.nan if step >= 20 else 1 / step})
    return directory


def write_grpo_run(directory: Path, truncated: float) -> Path:
    """Write a run directory with the run log itself."""
    config = {"max_completion_length": 8, "learning_rate": 1e-4, "beta": 0.04, "num_generations": 8}
    with RunLog(directory, algorithm="grpo", task="addition", config=config, total=40) as log:
        for step in range(1, 41):
            log.log(step, grpo_metrics(step, truncated))
    return directory


def grpo_metrics(step: int, truncated: float) -> dict[str, float]:
    """The trainer's metrics for one step, with a rising reward and a little deterministic noise."""
    noise = math.sin(7.0 * step)
    reward = 0.1 + 0.015 * step + 0.02 * noise
    return {
        "reward": reward,
        "reward_std": 0.3 + 0.02 * noise,
        "rewards/accuracy/mean": reward,
        "rewards/accuracy/std": 0.3 + 0.02 * noise,
        "frac_reward_zero_std": 0.1,
        "kl": 0.001 * step + 0.0003 * noise,
        "entropy": 1.2 - 0.01 * step,
        "loss": 0.001 * noise,
        "grad_norm": 0.5 + 0.05 * noise,
        "learning_rate": 1e-4,
        "clip_ratio/low_mean": 0.01,
        "clip_ratio/low_min": 0.0,
        "clip_ratio/high_mean": 0.01,
        "clip_ratio/high_max": 0.05,
        "clip_ratio/region_mean": 0.02,
        "completions/mean_length": 6.0 + 0.1 * noise,
        "completions/min_length": 3.0,
        "completions/max_length": 8.0,
        "completions/clipped_ratio": truncated,
        "completions/mean_terminated_length": 5.0,
        "completions/min_terminated_length": 3.0,
        "completions/max_terminated_length": 7.0,
        "num_tokens": 1000.0 * step,
        "step_time": 0.5,
    }
