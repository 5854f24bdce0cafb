"""RLOO, GSPO and CISPO learn the addition demo: real trainings, one after another in one process."""

import json
import subprocess
import sys
from pathlib import Path
from statistics import fmean

import pytest

SHARED = {
    "max_steps": 20,
    "per_device_train_batch_size": 128,
    "max_completion_length": 26,
    "learning_rate": 2e-4,
    "lr_scheduler_type": "constant_with_warmup",
    "warmup_steps": 2,
    "seed": 1,
    "report_to": "none",
    "save_strategy": "no",
    "num_sample_generations": 0,
    "histogram_steps": 0,
    "num_threads": 1,
    "use_cpu": "true",
}
_GROUPS = {"num_generations": 16, "num_iterations": 2, "beta": 0.02}
TRAININGS = {
    "rloo": ("rloo", {"num_generations": 4}),
    "gspo": (
        "grpo",
        {
            **_GROUPS,
            "importance_sampling_level": "sequence",
            "loss_type": "grpo",
            "epsilon": 3e-3,
            "epsilon_high": 4e-3,
        },
    ),
    "cispo": ("grpo", {**_GROUPS, "loss_type": "cispo", "epsilon_high": 5}),
}
SCRIPT = """
import json, sys
from trainer import main
for words in json.loads(sys.argv[1]):
    if main.main(words):
        sys.exit(f"{words} failed")
"""


@pytest.fixture(scope="module")
def rewards(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[float]]:
    """The mean reward of every step, by training."""
    folder = tmp_path_factory.mktemp("learning")
    words = [
        ["train", algorithm, "--run_dir", name, *(f"--{key}={value}" for key, value in {**SHARED, **values}.items())]
        for name, (algorithm, values) in TRAININGS.items()
    ]
    subprocess.run(
        [sys.executable, "-P", "-c", SCRIPT, json.dumps(words)],
        cwd=folder,
        check=True,
        capture_output=True,
    )
    return {name: _rewards(folder / name) for name in TRAININGS}


def _rewards(folder: Path) -> list[float]:
    lines = (folder / "events.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line)["metrics"]["reward"] for line in lines]


@pytest.mark.process
@pytest.mark.parametrize("name", TRAININGS)
def test_accuracy_rises_within_twenty_steps(rewards: dict[str, list[float]], name: str) -> None:
    found = rewards[name]
    assert fmean(found[-5:]) > fmean(found[:5]) + 0.08
