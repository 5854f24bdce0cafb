"""Which checkpoints a run keeps: the newest, the best, and the last before each finding of a real diagnosis."""

import math
from pathlib import Path

import pytest
from safetensors.torch import load_file

from diagnostics.runlog import RunLog
from trainer.config.algorithms import make_config
from trainer.launch.resuming import checkpoint_folder, checkpoints_of
from trainer.run.retention import Retention, finding_onsets, last_before

pytestmark = pytest.mark.process

HEALTHY = {"objective/kl": 1.0, "objective/scores": 0.5, "val/ratio": 1.0, "loss/value_avg": 0.1}


def kept_checkpoints(run: Path, rewards: list[float], limit: int | None, **options: object) -> list[int]:
    """The checkpoints left of a run that logged these rewards and saved every second step."""
    values = {"save_total_limit": limit, "per_device_train_batch_size": 16, **options}
    retention = Retention(make_config("ppo", values), run)
    with RunLog(run, algorithm="ppo") as log:
        for step, reward in enumerate(rewards, start=1):
            metrics = {**HEALTHY, "objective/rlhf_reward": reward}
            if math.isnan(reward):
                metrics["loss/value_avg"] = math.nan
            if options and step % 4 == 0:
                metrics["eval/objective/scores"] = -reward
            log.log(step, metrics)
            retention.observe(metrics)
            if step % 2 == 0:
                checkpoint_folder(run, step).mkdir(parents=True)
                retention.rate(step)
                retention.prune()
    return list(checkpoints_of(run))


def test_without_a_limit_everything_is_kept(tmp_path):
    assert kept_checkpoints(tmp_path / "a", [0.1] * 8, None) == [2, 4, 6, 8]


def test_the_best_by_the_mean_reward_since_the_last_checkpoint_is_kept_beside_the_newest(tmp_path):
    # One lucky step at 5 does not make 6 the best checkpoint: the mean of 3 and 4 is higher than that of 5 and 6.
    assert kept_checkpoints(tmp_path / "a", [0.1, 0.1, 0.6, 0.6, 0.9, 0.1, 0.2, 0.2, 0.2, 0.2], 1) == [4, 10]


def test_an_evaluation_decides_where_there_is_one(tmp_path):
    # The evaluations here are the negated rewards, so that the two ways of choosing differ.
    rewards = [0.1] * 4 + [0.9] * 4 + [0.5] * 4
    assert kept_checkpoints(tmp_path / "a", rewards, 1, eval_strategy="steps") == [4, 12]


def test_the_last_checkpoint_before_a_finding_is_kept(tmp_path):
    assert kept_checkpoints(tmp_path / "a", [0.9, 0.9, 0.1, 0.1, *[0.1] * 2, *[math.nan] * 6], 1) == [2, 6, 12]
    assert finding_onsets(tmp_path / "a") == {7}


def test_each_onset_keeps_the_step_before_it_and_none_where_there_is_none():
    assert last_before({1, 5, 9}, [2, 4, 6, 8]) == {4, 8}
    assert last_before({4}, [4, 6]) == set()


def test_without_a_diagnosis_nothing_is_deleted(tmp_path, caplog):
    assert finding_onsets(tmp_path / "nothing") is None
    assert "no checkpoint was deleted" in caplog.text


def test_a_training_whose_weights_become_nan_keeps_its_last_finite_checkpoint(training):
    run = training("a")
    rewards = ("--reward_funcs", "remark_positivity,nan_after:8", "--num_sample_generations", "0")
    small = ("--per_device_train_batch_size", "16", "--num_ppo_epochs", "1", "--report_to", "none")
    assert (
        run.train("ppo", *rewards, *small, "--max_steps", "16", "--save_steps", "2", "--save_total_limit", "1")[0] == 0
    )
    first_nan = next(row["step"] for row in run.lines if math.isnan(row["metrics"]["objective/scores"]))
    last_finite = max(step for step in checkpoints_of(run.directory) if step < first_nan)
    assert last_finite == (first_nan - 1) // 2 * 2
    weights = load_file(checkpoint_folder(run.directory, last_finite) / "model.safetensors")
    assert all(bool(value.isfinite().all()) for value in weights.values())
