"""What must not change a training: how its batch is split into passes, and anything that only observes.

All trainings run in one process, one after another, and are compared by their logs, gradients and final weights.
"""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from tests.trainer.clocks import CLOCKS
from tests.trainer.one_process import run_trainings

pytestmark = pytest.mark.process

STEPS = 2
LEARNING_RATE = 1e-5  # Adam's first steps are as long as this whatever the gradient: ten times the tolerance below

WHOLE = {"per_device_train_batch_size": "8", "gradient_accumulation_steps": "1"}
ONE_BY_ONE = {"per_device_train_batch_size": "1", "gradient_accumulation_steps": "8"}
UNWATCHED = {"eval_strategy": "no", "num_sample_generations": "0", "histogram_steps": "0", "save_strategy": "no"}
SHARED = {
    "seed": "3",
    "max_steps": str(STEPS),
    "learning_rate": str(LEARNING_RATE),
    "lr_scheduler_type": "constant",
    "warmup_steps": "0",
    "report_to": "none",
    "use_cpu": "true",
    "num_threads": "1",
    **UNWATCHED,
}
GRPO = {"task": "addition", "num_generations": "4", "num_iterations": "2", "beta": "0.04", "epsilon": "0.001"}
PPO = {
    "task": "remarks",
    "response_length": "8",
    "num_ppo_epochs": "2",
    "num_mini_batches": "2",
    "whiten_rewards": "true",
    "missing_eos_penalty": "1",
}
RLOO = {**GRPO, "normalize_advantages": "true", "seed": "8"}  # where no advantage is zero but for rounding
GRPO_LOSSES = {
    **{kind: {"loss_type": kind} for kind in ("grpo", "bnpo", "dr_grpo", "dapo")},
    "cispo": {"loss_type": "cispo", "epsilon_high": "1.0001"},
    "gspo": {"loss_type": "grpo", "importance_sampling_level": "sequence", "epsilon": "0.0001"},
}
TRAININGS = {
    **{f"grpo-{name}": ("grpo", {**GRPO, **WHOLE, **values}) for name, values in GRPO_LOSSES.items()},
    **{f"grpo-{name}-1x8": ("grpo", {**GRPO, **ONE_BY_ONE, **values}) for name, values in GRPO_LOSSES.items()},
    "rloo": ("rloo", {**RLOO, **WHOLE}),
    "rloo-1x8": ("rloo", {**RLOO, **ONE_BY_ONE}),
    "ppo": ("ppo", {**PPO, **WHOLE}),
    "ppo-1x8": ("ppo", {**PPO, **ONE_BY_ONE}),
    "ppo-again": ("ppo", {**PPO, **WHOLE}),
    "ppo-other-seed": ("ppo", {**PPO, **WHOLE, "seed": "4"}),
    "ppo-watched": (
        "ppo",
        {
            **PPO,
            **WHOLE,
            "eval_strategy": "steps",
            "eval_steps": "1",
            "num_sample_generations": "2",
            "histogram_steps": "1",
            "save_strategy": "steps",
            "save_steps": "1",
        },
    ),
    "grpo-watched": (
        "grpo",
        {**GRPO, **WHOLE, "loss_type": "dapo", "eval_strategy": "steps", "eval_steps": "1", "histogram_steps": "1"},
    ),
}
SCRIPT = """
import json, sys
from pathlib import Path
from benchmarks.parity.updates import UpdateTape
from trainer import main
for name, words in json.loads(sys.argv[1]).items():
    tape = UpdateTape()
    with tape.recording():
        code = main.main(words)
    if code:
        sys.exit(f"{name} ended with {code}")
    tape.save(Path(f"{name}.npz"))
"""


@dataclass(frozen=True)
class Trained:
    """What a training left: each step's metrics without the times, the first gradients, the parameters."""

    metrics: list[dict[str, float]]
    arrays: dict[str, np.ndarray]


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Trained]:
    folder = tmp_path_factory.mktemp("invariance")
    words = {name: _words(name, algorithm, values) for name, (algorithm, values) in TRAININGS.items()}
    run_trainings(folder, SCRIPT, words)
    return {name: _read(folder, name) for name in TRAININGS}


def _words(name: str, algorithm: str, values: dict[str, str]) -> list[str]:
    return ["train", algorithm, "--run_dir", name, *(f"--{key}={value}" for key, value in {**SHARED, **values}.items())]


def _read(folder: Path, name: str) -> Trained:
    rows = map(json.loads, (folder / name / "events.jsonl").read_text("utf-8").splitlines())
    metrics = [
        {key: value for key, value in row["metrics"].items() if key not in CLOCKS and not key.startswith("eval")}
        for row in rows
        if "metrics" in row
    ]
    with np.load(folder / f"{name}.npz") as arrays:
        return Trained(metrics, dict(arrays))


@pytest.mark.parametrize("name", ["ppo", "rloo", *(f"grpo-{name}" for name in GRPO_LOSSES)])
def test_eight_passes_of_one_completion_make_the_update_of_one_pass_of_eight(trained, name):
    whole, split = trained[name], trained[f"{name}-1x8"]
    gradients_N = whole.arrays["first_gradients_N"]
    assert np.abs(gradients_N).max() > 1e-3
    assert np.linalg.norm(split.arrays["first_gradients_N"] - gradients_N) < 1e-5 * np.linalg.norm(gradients_N)
    moved_N = whole.arrays["last_parameters_N"] - whole.arrays["start_parameters_N"]
    assert np.abs(moved_N).max() > LEARNING_RATE
    difference_N = split.arrays["last_parameters_N"] - whole.arrays["last_parameters_N"]
    assert np.linalg.norm(difference_N) < 1e-2 * np.linalg.norm(moved_N)
    assert np.quantile(np.abs(difference_N), 0.999) < 1e-6


@pytest.mark.parametrize("name", ["ppo", "rloo", *(f"grpo-{name}" for name in GRPO_LOSSES)])
def test_every_metric_is_the_same_for_eight_passes_of_one_and_one_pass_of_eight(trained, name):
    for whole, split in zip(trained[name].metrics, trained[f"{name}-1x8"].metrics, strict=True):
        assert split == {metric: pytest.approx(value, rel=2e-4, abs=1e-5) for metric, value in whole.items()}


def test_the_same_seed_gives_the_same_training_and_another_one_another(trained):
    assert trained["ppo-again"].metrics == trained["ppo"].metrics
    assert (trained["ppo-again"].arrays["last_parameters_N"] == trained["ppo"].arrays["last_parameters_N"]).all()
    assert trained["ppo-other-seed"].metrics != trained["ppo"].metrics


@pytest.mark.parametrize(("watched", "unwatched"), [("ppo-watched", "ppo"), ("grpo-watched", "grpo-dapo")])
def test_evaluation_samples_histograms_and_checkpoints_do_not_change_the_training(trained, watched, unwatched):
    assert trained[watched].metrics == trained[unwatched].metrics
    last_N = trained[watched].arrays["last_parameters_N"]
    assert (last_N == trained[unwatched].arrays["last_parameters_N"]).all()


@pytest.mark.parametrize("name", ["ppo", "grpo-dapo", "grpo-gspo", "rloo"])
def test_the_trainings_that_are_compared_have_padding_and_clipping(trained, name):
    first = trained[name].metrics[0]
    lengths = (
        ("tokens/responses_len_min", "tokens/responses_len_max")
        if name == "ppo"
        else (
            "completions/min_length",
            "completions/max_length",
        )
    )
    assert first[lengths[0]] < first[lengths[1]]
    assert first["policy/approxkl_avg" if name == "ppo" else "clip_ratio/region_mean"] > 0
