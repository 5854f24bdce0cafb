"""Half precision: whole trainings in bfloat16, as on a GPU, here on the CPU."""

import math

import pytest

SMALL = ("--max_steps", "2", "--per_device_train_batch_size", "16", "--save_strategy", "no")


@pytest.mark.parametrize("half", [("--mixed_precision", "bf16"), ("--dtype", "bfloat16")], ids=["mixed", "whole"])
def test_ppo_in_bfloat16_starts_at_its_own_policy(training, half) -> None:
    run = training("run")
    code, printed = run.train("ppo", *SMALL, *half)
    assert code == 0, printed
    first, second = (row["metrics"] for row in run.lines)
    assert all(map(math.isfinite, (*first.values(), *second.values())))
    assert first["objective/kl"] == pytest.approx(0, abs=0.05)  # summed over 14 tokens, each of 8 bits' precision
    assert first["val/ratio"] == pytest.approx(1, abs=0.01)
    assert second["loss/value_avg"] != first["loss/value_avg"]


@pytest.mark.parametrize("half", [("--mixed_precision", "bf16"), ("--dtype", "bfloat16")], ids=["mixed", "whole"])
def test_grpo_in_bfloat16_starts_at_its_reference(training, half) -> None:
    run = training("run")
    code, printed = run.train("grpo", *SMALL, "--num_generations", "4", "--beta", "0.02", *half)
    assert code == 0, printed
    first, second = (row["metrics"] for row in run.lines)
    assert all(map(math.isfinite, (*first.values(), *second.values())))
    assert first["kl"] == pytest.approx(0, abs=1e-3)
    assert second["grad_norm"] > 0
