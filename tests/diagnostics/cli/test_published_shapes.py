"""Tests of `rlvitals diagnose` on logs in the shape of runs that people asked for help with, or published."""

import json
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

Row = npt.NDArray[np.float64]


def test_an_engine_that_never_got_new_weights_is_named_with_a_fix_for_that(rlvitals, tmp_path: Path) -> None:
    """The shape of TRL issue 5312: the difference jumps with the first update, and the ratio goes to 0."""
    noise = np.random.default_rng(1).normal(size=(60, 4))
    rows = [_row_of_grpo(step, is_stale=step > 2, noise=noise[step - 1]) for step in range(1, 61)]
    state = {"log_history": rows, "global_step": 60, "max_steps": 60}
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "trainer_state.json").write_text(json.dumps(state))

    (run,) = json.loads(rlvitals("diagnose", tmp_path / "out", "--format", "json").stdout)["runs"]

    cause = run["causes"][0]
    assert (run["producer"], cause["cause"], cause["severity"]) == ("trl", "weights-not-synced", "critical")
    assert cause["first_step"] == 3
    assert [fix["parameter"] for fix in cause["fixes"]] == ["vllm_server_host", ""]
    assert "top_k" not in json.dumps(run["causes"])


def test_an_asynchronous_run_that_trains_all_the_time_is_told_to_pack_its_rows(rlvitals, tmp_path: Path) -> None:
    """The shape of run 1 of "Async GRPO with LoRA across HF Jobs": 96 % of a step in the trainer at 4 % MFU."""
    noise = np.random.default_rng(2).normal(size=(120, 4))
    rows = [_row_of_async_grpo(step, noise[step - 1]) for step in range(1, 121)]
    state = {"log_history": rows, "global_step": 120, "max_steps": 500}
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "trainer_state.json").write_text(json.dumps(state))

    (run,) = json.loads(rlvitals("diagnose", tmp_path / "out", "--format", "json").stdout)["runs"]

    assert [(cause["cause"], cause["severity"]) for cause in run["causes"]] == [("trainer-bound", "warning")]
    assert "Pack several samples into a row" in run["causes"][0]["fixes"][0]["why"]
    assert run["data_health"]["unmapped_tags"] == []
    assert (run["time_budget"]["bottleneck"]["stage"], run["time_budget"]["bottleneck"]["is_bound"]) == ("update", True)


def test_steps_that_become_slower_beside_growing_memory_are_both_told(rlvitals, tmp_path: Path) -> None:
    """The shape of verl issue 2260: a step takes 46 s, then 146 s, while the host's memory reaches 800 GB."""
    noise = np.random.default_rng(2).normal(size=(150, 4))
    rows = [{"step": step, "data": _row_of_verl(step, noise[step - 1])} for step in range(1, 151)]
    (tmp_path / "train.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))

    (run,) = json.loads(rlvitals("diagnose", "train.jsonl", "--format", "json").stdout)["runs"]

    fired = {outcome["rule"]: outcome for outcome in run["outcomes"] if outcome["verdict"] == "fired"}
    assert (run["producer"], run["verdict"], run["causes"][0]["cause"]) == ("verl", "warning", "memory-runs-out")
    assert fired["memory-climbs"]["metric"] == "perf/cpu_memory_used_gb"
    assert fired["memory-climbs"]["measured"] == pytest.approx(800, rel=0.01)
    assert (fired["step-slows"]["severity"], fired["step-slows"]["metric"]) == ("warning", "timing_s/gen")
    assert run["time_budget"]["bottleneck"]["stage"] == "generate"


def _row_of_grpo(step: int, *, is_stale: bool, noise: Row) -> dict[str, float]:
    """A step as TRL 1.16's GRPOTrainer logs it with vLLM."""
    difference = 0.2 + 0.02 * noise[0] if is_stale else 0.012 + 0.001 * noise[0]
    ratio = 0.05 * 0.9**step if is_stale else 0.98 + 0.005 * noise[1]
    return {
        "step": step,
        "learning_rate": 1e-4 if is_stale else 0.0,
        "grad_norm": 0.6 + 0.05 * noise[2],
        "loss": 0.01 * noise[2],
        "reward": 0.3 + 0.03 * noise[3],
        "reward_std": 0.4,
        "frac_reward_zero_std": 0.1,
        "completions/mean_length": 200.0 + noise[2],
        "completions/clipped_ratio": 0.05,
        "entropy": 0.5 + 0.02 * noise[3],
        "sampling/sampling_logp_difference/mean": difference,
        "sampling/sampling_logp_difference/max": 20 * difference,
        "sampling/importance_sampling_ratio/mean": ratio,
    }


def _row_of_async_grpo(step: int, noise: Row) -> dict[str, float]:
    """A step as TRL 1.16's AsyncGRPOTrainer logs it; the weights are sent every four steps."""
    sync = {"perf/weight_sync_s": 8.5} if step % 4 == 0 else {}
    return {
        "step": step,
        "learning_rate": 1e-5,
        "grad_norm": 0.4 + 0.03 * noise[0],
        "loss": 0.01 * noise[1],
        "reward": 0.3 + 0.002 * step + 0.03 * noise[2],
        "reward_std": 0.4,
        "entropy": 0.5 + 0.02 * noise[3],
        "completions/mean_length": 600.0 + 20 * noise[1],
        "perf/step_s": 22.9 + 0.4 * noise[0],
        "perf/fwd_bwd_s": 21.9 + 0.4 * noise[0],
        "perf/rollout_wait_s": 0.02,
        "perf/mfu_fwd_bwd": 0.039,
        "batch/samples_per_row": 1.0,
        "sample/rollout_queue_size": 476.0,
        "sample/staleness_mean": 1.5,
        "rollout/generated_tok_s": 9000.0,
        **sync,
    }


def _row_of_verl(step: int, noise: Row) -> dict[str, float]:
    """A step as verl's file logger writes it, of a run that has done `step` of 150."""
    done = (step - 1) / 149
    return {
        "training/global_step": step,
        "critic/score/mean": 0.2 + 0.002 * step + 0.03 * noise[0],
        "critic/rewards/mean": 0.2 + 0.002 * step + 0.03 * noise[0],
        "actor/grad_norm": 0.3 + 0.02 * noise[1],
        "actor/entropy": 0.4 + 0.02 * noise[2],
        "actor/pg_loss": 0.01 * noise[3],
        "actor/ppo_kl": 0.0005,
        "actor/pg_clipfrac": 0.002,
        "response_length/mean": 900.0 + 30 * noise[3],
        "response_length/clip_ratio": 0.02,
        "timing_s/step": 46 + 100 * done,
        "timing_s/gen": 32 + 100 * done,
        "timing_s/update_actor": 9.0,
        "perf/cpu_memory_used_gb": 300 + 500 * done + 2 * noise[1],
        "perf/max_memory_reserved_gb": 70.0,
    }
