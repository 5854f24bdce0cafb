"""Half precision: whole trainings in bfloat16, on a GPU where the machine has one, else on the CPU."""

import math

import pytest
import torch

pytestmark = pytest.mark.process

HERE = (torch.accelerator.current_accelerator(check_available=True) or torch.device("cpu")).type
SMALL = ("--max_steps", "2", "--per_device_train_batch_size", "16", "--save_strategy", "no")
HALVES = pytest.mark.parametrize(
    "half", [("--mixed_precision", "bf16"), ("--dtype", "bfloat16")], ids=["mixed", "whole"]
)


def train(run, *words):
    """Train a new run to its end, on the accelerator that is there; the metrics of its steps, all finite."""
    code, printed = run.train(*words)
    assert code == 0, printed
    assert f"computes on {HERE}" in printed
    steps = [row["metrics"] for row in run.lines]
    assert all(math.isfinite(value) for step in steps for value in step.values())
    return steps


@HALVES
def test_ppo_in_bfloat16_starts_at_its_own_policy(training, half) -> None:
    first, second = train(training("run"), "ppo", *SMALL, *half)
    assert first["objective/kl"] == pytest.approx(0, abs=0.05)  # summed over 14 tokens, each of 8 bits' precision
    assert first["val/ratio"] == pytest.approx(1, abs=0.01)
    assert second["loss/value_avg"] != first["loss/value_avg"]


@HALVES
def test_grpo_in_bfloat16_starts_at_its_reference(training, half) -> None:
    first, second = train(training("run"), "grpo", *SMALL, "--num_generations", "4", "--beta", "0.02", *half)
    assert first["kl"] == pytest.approx(0, abs=1e-3)
    assert second["grad_norm"] > 0


def test_grpo_in_mixed_precision_begins_as_in_float32(training) -> None:
    words = ("grpo", "--max_steps", "1", "--save_strategy", "no", "--seed", "7")
    half, whole = training("half"), training("whole")
    (in_half,), (in_whole,) = train(half, *words, "--mixed_precision", "bf16"), train(whole, *words)
    same = sum(a["response"] == b["response"] for a, b in zip(half.samples, whole.samples, strict=True))
    assert same >= 0.8 * len(
        whole.samples
    )  # rounding can move a token across a boundary, so that a different one is drawn
    assert in_half["reward"] == pytest.approx(in_whole["reward"], abs=0.1)
    assert in_half["grad_norm"] != in_whole["grad_norm"]  # else nothing was computed in bfloat16


def test_ppo_in_mixed_precision_goes_on_where_it_was_killed(training) -> None:
    words = ("ppo", "--max_steps", "3", "--per_device_train_batch_size", "16", "--save_steps", "1")
    whole, killed = training("whole"), training("killed")
    *_, third = train(whole, *words, "--mixed_precision", "bf16")
    killed.kill_after(2, *words, "--mixed_precision", "bf16")
    code, printed = killed.resume()
    assert code == 0, printed
    assert f"computes on {HERE}" in printed
    assert killed.status["step"] == 3
    resumed = killed.lines[-1]["metrics"]
    for name in ("objective/rlhf_reward", "objective/kl", "val/ratio", "lr"):  # a GPU sums in a different order
        assert resumed[name] == pytest.approx(third[name], rel=0.02, abs=0.05), name
