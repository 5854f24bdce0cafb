"""The training process from outside: exit codes, the run directory, the sinks. Every test starts a real process."""

import json
import math
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
import torch

from diagnostics.runlog import RunLog
from tests.trainer.clocks import CLOCKS, STAGES
from tests.trainer.forked import run_forked
from trainer import launch
from trainer.launch.starting import start
from trainer.rollout.models import load_policy, load_value_model

pytestmark = pytest.mark.process

GRPO_PAGE = {
    *("num_tokens", "completions/mean_length", "completions/min_length", "completions/max_length"),
    *("completions/clipped_ratio", "completions/mean_terminated_length", "completions/min_terminated_length"),
    *("completions/max_terminated_length", "rewards/addition_accuracy/mean", "rewards/addition_accuracy/std"),
    *("reward", "reward_std", "kl", "clip_ratio/low_mean", "clip_ratio/low_min", "clip_ratio/high_mean"),
    *("clip_ratio/high_max", "clip_ratio/region_mean"),
}
PPO_PAGE = {
    *("eps", "objective/kl", "objective/entropy", "objective/non_score_reward", "objective/rlhf_reward"),
    *("objective/scores", "policy/approxkl_avg", "policy/clipfrac_avg", "loss/policy_avg", "loss/value_avg"),
    *("val/clipfrac_avg", "policy/entropy_avg", "val/ratio", "val/ratio_var", "val/num_eos_tokens", "lr", "episode"),
}
QUICK = ("--max_steps", "3", "--per_device_train_batch_size", "16", "--save_strategy", "no")


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return run_forked(folder, *words, WANDB_MODE="offline")


def status_of(directory: Path) -> dict:
    return json.loads((directory / "status.json").read_text("utf-8"))


def events_of(directory: Path) -> list[dict]:
    return [json.loads(line) for line in (directory / "events.jsonl").read_text("utf-8").splitlines()]


def wait_until(condition, seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.05)


def test_a_grpo_run_logs_every_key_of_the_logging_page_and_its_samples(tmp_path):
    done = run(tmp_path, "train", "grpo", *QUICK)
    directory = tmp_path / "runs" / "grpo-addition-1"
    assert (done.returncode, status_of(directory)["state"], status_of(directory)["total"]) == (0, "finished", 3)
    assert status_of(directory)["device"] == ("cuda" if torch.cuda.is_available() else "cpu")
    events = events_of(directory)
    assert [event["step"] for event in events] == [1, 2, 3]
    assert all(event["metrics"].keys() >= GRPO_PAGE for event in events)
    extra = {"loss", "entropy", "objective/entropy", "frac_reward_zero_std", "grad_norm", "learning_rate", "step_time"}
    extra |= STAGES | {"perf/evaluate_s"}
    assert events[0]["metrics"].keys() == GRPO_PAGE | extra
    samples = [json.loads(line) for line in (directory / "samples.jsonl").read_text("utf-8").splitlines()]
    followed = [sample["step"] for sample in samples if sample.get("followed")]
    trained_on = [sample["step"] for sample in samples if not sample.get("followed")]
    assert (trained_on, followed) == ([1] * 16 + [2] * 16 + [3] * 16, [1] * 8 + [2] * 8 + [3] * 8)
    assert len({sample["query"] for sample in samples[:16]}) == 1
    assert "step 3/3" in (directory / "console.log").read_text("utf-8")


def test_an_rloo_run_logs_every_key_of_trls_page_and_the_grouped_samples(tmp_path):
    done = run(tmp_path, "train", "rloo", *QUICK, "--reward_clip_range", "0", "0.5", "--run_dir", "a")
    assert (done.returncode, status_of(tmp_path / "a")["state"]) == (0, "finished")
    extra = {"loss", "entropy", "objective/entropy", "frac_reward_zero_std", "grad_norm", "learning_rate", "step_time"}
    extra |= STAGES | {"perf/evaluate_s"}
    assert [event["metrics"].keys() for event in events_of(tmp_path / "a")] == [GRPO_PAGE | extra] * 3
    samples = [json.loads(line) for line in (tmp_path / "a" / "samples.jsonl").read_text("utf-8").splitlines()]
    assert [row["group"] for row in samples if row["step"] == 1 and "group" in row][:4] == [0, 0, 0, 0]
    assert max(row["score"] for row in samples) == 1  # what the functions returned, unclipped


def test_tensorboard_gets_the_metrics_under_the_prefix_of_trl(tmp_path):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    run(tmp_path, "train", "grpo", *QUICK, "--run_dir", "a")
    tensorboard = EventAccumulator(str(tmp_path / "a" / "tensorboard")).Reload()
    logged = [event["metrics"]["reward"] for event in events_of(tmp_path / "a")]
    assert [point.value for point in tensorboard.Scalars("train/reward")] == pytest.approx(logged)
    assert [point.step for point in tensorboard.Scalars("train/reward")] == [1, 2, 3]


def test_a_ppo_run_logs_every_key_of_the_logging_page_and_wandb_works_offline(tmp_path):
    done = run(tmp_path, "train", "ppo", *QUICK, "--report_to", "wandb", "--run_dir", "a")
    assert (done.returncode, status_of(tmp_path / "a")["state"]) == (0, "finished")
    extra = {"grad_norm", "step_time", "val/ratio_max", "val/var_explained", "objective/kl_coef", "policy/updates"}
    extra |= STAGES | {
        "perf/evaluate_s",
        "policy/policykl_avg",
        "rewards/remark_positivity/mean",
        "rewards/remark_positivity/std",
    }
    lengths = {f"tokens/responses_len_{which}" for which in ("mean", "min", "max")}
    for event in events_of(tmp_path / "a"):
        metrics = event["metrics"]
        assert metrics.keys() == PPO_PAGE | extra | lengths
        assert all(math.isfinite(value) for value in metrics.values())
        assert metrics["objective/rlhf_reward"] == metrics["objective/scores"] + metrics["objective/non_score_reward"]
    assert list((tmp_path / "a" / "wandb").glob("offline-run-*/run-*.wandb"))


def test_stopping_finishes_the_step_saves_a_checkpoint_and_says_so(tmp_path):
    directory = tmp_path / "a"
    words = ["train", "ppo", "--max_steps", "100000", "--per_device_train_batch_size", "8", "--report_to", "none"]
    pid = start(words, directory).process.pid
    assert (status_of(directory)["state"], status_of(directory)["pid"]) == ("starting", pid)
    wait_until(lambda: status_of(directory)["state"] == "running")
    launch.stop(directory)
    wait_until(lambda: status_of(directory)["state"] == "stopped")
    last_step = events_of(directory)[-1]["step"]
    checkpoint = directory / "checkpoints" / f"step-{last_step}"
    assert load_policy(checkpoint).config.vocab_size == load_value_model(checkpoint / "value_model").config.vocab_size
    with pytest.raises(launch.LaunchError, match=r"has already ended \(stopped\)"):
        launch.stop(directory)


def test_a_training_whose_folder_was_replaced_ends_and_leaves_the_new_run_alone(tmp_path):
    directory = tmp_path / "a"
    words = ["train", "grpo", "--max_steps", "100000", "--per_device_train_batch_size", "16", "--save_steps", "1"]
    pid = start(words, directory).process.pid
    wait_until(lambda: (directory / "checkpoints").exists())
    directory.rename(tmp_path / "old")
    RunLog(directory, name="new").close()
    files = sorted(directory.iterdir())

    wait_until(lambda: not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE)
    assert (sorted(directory.iterdir()), status_of(directory)["state"]) == (files, "finished")
    assert "a no longer holds this run: it was removed or replaced" in (tmp_path / "old" / "console.log").read_text()


def test_a_failing_reward_ends_as_failed_with_its_error_in_words(tmp_path):
    (tmp_path / "mine.py").write_text("def broken(prompts, completions, **columns):\n    return 1 / 0\n")
    done = run(tmp_path, "train", "grpo", *QUICK, "--reward_funcs", "mine.py:broken", "--run_dir", "a")
    assert done.returncode == 1
    status = status_of(tmp_path / "a")
    assert status["state"] == "failed"
    assert "broken raised ZeroDivisionError" in status["error"]
    assert "Traceback" in (tmp_path / "a" / "console.log").read_text("utf-8")


def test_a_nan_reward_is_logged_as_nan_and_the_run_goes_on_to_its_end(tmp_path):
    done = run(
        tmp_path, "train", "ppo", *QUICK, "--reward_funcs", "constant,nan_after:1", "--run_dir", "a", "--seed", "1"
    )
    assert (done.returncode, status_of(tmp_path / "a")["state"]) == (0, "finished")
    losses = [event["metrics"]["loss/value_avg"] for event in events_of(tmp_path / "a")]
    assert [math.isnan(loss) for loss in losses] == [False, True, True]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("train", "grpo", "--num_generations", "7"), "does not divide by num_generations = 7"),
        (("train", "grpo", "--model_name_or_path", "./no/model"), "./no/model, which is not a folder here"),
        (("train", "grpo", "--rewrad_funcs", "length"), "no option 'rewrad_funcs'; did you mean 'reward_funcs'?"),
        (("train", "grpo", "--reward_funcs", "kindness"), "unknown reward function 'kindness'"),
        (("train", "grpo", "--dataset", "empty.jsonl"), "empty.jsonl is empty"),
        (("train", "grpo", "--run_dir", "taken"), "taken already holds a run"),
        (("stop", "nothing"), "nothing holds no run that rlvitals started"),
        (("dance",), "the command must be one of"),
    ],
)
def test_bad_input_gets_one_sentence_and_leaves_nothing_behind(tmp_path, words, message):
    (tmp_path / "empty.jsonl").touch()
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "run.json").touch()
    before = sorted(tmp_path.rglob("*"))
    done = run(tmp_path, *words)
    assert done.returncode == 2
    assert done.stderr.startswith("rlvitals: ")
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert sorted(tmp_path.rglob("*")) == before


def test_starting_a_training_that_cannot_run_repeats_its_sentence(tmp_path):
    with pytest.raises(launch.LaunchError, match="does not divide by num_generations = 7"):
        start(["train", "grpo", "--num_generations", "7"], tmp_path / "a")
    assert not (tmp_path / "a").exists()


def test_a_relaunch_names_its_parent_and_the_same_seed_gives_the_same_steps(tmp_path):
    run(tmp_path, "train", "grpo", *QUICK, "--report_to", "none", "--run_dir", "a")
    run(tmp_path, "train", "--from", "a", "--max_steps", "1", "--run_dir", "b")
    parent, child = (json.loads((tmp_path / name / "run.json").read_text("utf-8")) for name in "ab")
    assert child["parent"] == parent["run_id"]
    assert child["config"] == {**parent["config"], "max_steps": 1}
    of_parent, of_child = (events_of(tmp_path / name)[0]["metrics"] for name in "ab")
    assert {**of_child, **dict.fromkeys(CLOCKS)} == {**of_parent, **dict.fromkeys(CLOCKS)}


def test_four_passes_of_four_completions_train_like_one_pass_of_sixteen(tmp_path):
    for name, size, passes in (("a", "16", "1"), ("b", "4", "4")):
        sizes = ("--per_device_train_batch_size", size, "--gradient_accumulation_steps", passes)
        run(tmp_path, "train", "grpo", *QUICK, *sizes, "--report_to", "none", "--run_dir", name)
    whole, parts = (events_of(tmp_path / name)[-1]["metrics"] for name in "ab")
    for metric in ("loss", "grad_norm", "reward", "kl"):
        assert parts[metric] == pytest.approx(whole[metric], rel=1e-3, abs=1e-5)


def test_the_light_rooms_load_no_torch():
    script = (
        "import sys\n"
        "import trainer.config.algorithms, trainer.config.recipes, trainer.launch.arguments, trainer.data.prompts\n"
        "import trainer.rewards\n"
        "sys.exit(any(name in sys.modules for name in ('torch', 'transformers', 'accelerate')))"
    )
    assert subprocess.run([sys.executable, "-P", "-c", script], check=False).returncode == 0
