"""`acceleration` false: the plain path through transformers and accelerate, with the results of the fast one."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.trainer.clocks import CLOCKS
from trainer.acceleration.layers.decoder_layer import LeanLayer
from trainer.config.algorithms import make_config
from trainer.rollout.models import checkpoint_of, load_policy
from trainer.rollout.sampling import Sampling

SHARED = "--max_steps 2 --learning_rate 1e-5 --use_cpu true --num_threads 1 --report_to none --save_strategy no"
SMALL = "--per_device_train_batch_size 16 --num_sample_generations 0 --seed 3"
TRAININGS = {
    "grpo": "--num_generations 8 --num_iterations 2 --beta 0.04",
    "rloo": "--num_generations 4",
    "ppo": "--response_length 8 --num_mini_batches 2",
}
SCRIPT = """
import json, sys
from trainer import main
for words in json.loads(sys.argv[1]):
    if main.main(words):
        sys.exit(f"{words} failed")
"""


@pytest.mark.parametrize("algorithm", TRAININGS)
def test_without_acceleration_every_part_is_transformers_or_torchs(algorithm: str) -> None:
    config = make_config(algorithm, {"acceleration": False})
    origins = {type(module).__module__.partition(".")[0] for module in load_policy(checkpoint_of(config)).modules()}
    assert origins == {"transformers", "torch"}
    assert Sampling.of(config, (1,), 0).decode == "generic"


def test_with_acceleration_some_parts_are_ours() -> None:
    config = make_config("grpo", {})
    policy = load_policy(checkpoint_of(config))
    assert any(isinstance(module, LeanLayer) for module in policy.modules())
    assert Sampling.of(config, (1,), 0).decode == "auto"


@pytest.fixture(scope="module")
def metrics(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[dict[str, float]]]:
    """The metrics of each step, by training, "-plain" without acceleration."""
    folder = tmp_path_factory.mktemp("switch")
    named = {name: f"{name} {words}" for name, words in TRAININGS.items()}
    named |= {f"{name}-plain": f"{words} --acceleration false" for name, words in named.items()}
    words = [["train", *f"{words} {SHARED} {SMALL} --run_dir {name}".split()] for name, words in named.items()]
    subprocess.run(
        [sys.executable, "-P", "-c", SCRIPT, json.dumps(words)],
        cwd=folder,
        check=True,
        capture_output=True,
    )
    return {name: _metrics(folder / name) for name in named}


def _metrics(folder: Path) -> list[dict[str, float]]:
    lines = (folder / "events.jsonl").read_text("utf-8").splitlines()
    rows = [json.loads(line)["metrics"] for line in lines]
    return [{name: value for name, value in row.items() if name not in CLOCKS} for row in rows]


@pytest.mark.process
@pytest.mark.parametrize("name", TRAININGS)
def test_a_training_logs_the_same_with_and_without(metrics: dict[str, list[dict[str, float]]], name: str) -> None:
    for fast, plain in zip(metrics[name], metrics[f"{name}-plain"], strict=True):
        assert plain == {metric: pytest.approx(value, rel=1e-3, abs=1e-4) for metric, value in fast.items()}
