"""Golden tests of TRL's trainers, on logs that TRL itself wrote: who wrote it, and what each tag means."""

from pathlib import Path

import numpy as np
import pytest

from diagnostics.api import open_run
from diagnostics.model.run import Run

FIXTURES = Path(__file__).parents[2] / "fixtures" / "trl"

TRAINER_END = ["total_flos", "train_loss", "train_runtime", "train_samples_per_second", "train_steps_per_second"]
GRPO = {
    "clip_ratio/high_max": "clip_ratio_high_max",
    "clip_ratio/high_mean": "clip_ratio_high_mean",
    "clip_ratio/low_mean": "clip_ratio_low_mean",
    "clip_ratio/low_min": "clip_ratio_low_min",
    "clip_ratio/region_mean": "clip_ratio_region_mean",
    "completions/clipped_ratio": "truncated_fraction",
    "completions/max_length": "length_max",
    "completions/max_terminated_length": "terminated_length_max",
    "completions/mean_length": "length_mean",
    "completions/mean_terminated_length": "terminated_length_mean",
    "completions/min_length": "length_min",
    "completions/min_terminated_length": "terminated_length_min",
    "entropy": "entropy_per_token",
    "epoch": "epoch",
    "frac_reward_zero_std": "zero_std_fraction",
    "grad_norm": "grad_norm",
    "kl": "kl_per_token",
    "learning_rate": "learning_rate",
    "loss": "loss",
    "num_tokens": "tokens",
    "reward": "reward",
    "reward_std": "reward_std",
    "step_time": "step_time",
}
PPO = {
    "episode": "episodes",
    "epoch": "epoch",
    "eps": "episodes_per_second",
    "loss/policy_avg": "policy_loss",
    "loss/value_avg": "value_loss",
    "lr": "learning_rate",
    "objective/entropy": "entropy_per_sequence",
    "objective/kl": "kl_per_sequence",
    "objective/non_score_reward": "non_score_reward",
    "objective/rlhf_reward": "rlhf_reward",
    "objective/scores": "score",
    "policy/approxkl_avg": "approx_kl",
    "policy/clipfrac_avg": "clip_fraction",
    "policy/entropy_avg": "entropy_per_token",
    "val/clipfrac_avg": "value_clip_fraction",
    "val/num_eos_tokens": "eos_tokens",
    "val/ratio": "ratio_mean",
    "val/ratio_var": "ratio_variance",
}
LEGACY = {
    "ppo/mean_scores": "scaled_score",
    "ppo/std_scores": "scaled_score_std",
    "env/reward_mean": "score",
    "env/reward_std": "score_std",
    "objective/entropy": "entropy_per_sequence",
    "objective/kl": "kl_per_sequence",
    "objective/kl_coef": "kl_coef",
    "ppo/learning_rate": "learning_rate",
    "ppo/loss/policy": "policy_loss",
    "ppo/loss/total": "total_loss",
    "ppo/loss/value": "value_loss",
    "ppo/mean_non_score_reward": "non_score_reward_per_token",
    "ppo/policy/advantages_mean": "advantages_mean",
    "ppo/policy/approxkl": "approx_kl",
    "ppo/policy/clipfrac": "clip_fraction",
    "ppo/policy/entropy": "entropy_per_token",
    "ppo/policy/policykl": "policy_kl",
    "ppo/returns/mean": "returns_mean",
    "ppo/returns/var": "returns_variance",
    "ppo/val/clipfrac": "value_clip_fraction",
    "ppo/val/error": "value_error",
    "ppo/val/mean": "value_mean",
    "ppo/val/var": "value_variance",
    "ppo/val/var_explained": "explained_variance",
    "ppo/val/vpred": "value_prediction",
    "time/ppo/total": "step_time",
    "tokens/queries_len_mean": "query_length_mean",
    "tokens/queries_len_std": "query_length_std",
    "tokens/responses_len_mean": "length_mean",
    "tokens/responses_len_std": "length_std",
}
LEGACY_TIMES = [
    f"time/ppo/{part}"
    for part in ("calc_stats", "compute_advantages", "compute_rewards", "forward_pass", "optimize_step")
]


def fixture(name: str) -> Run:
    return open_run(FIXTURES / name)


def names(run: Run) -> dict[str, str]:
    """Tag → canonical metric, of everything that is mapped and no evaluation."""
    return {series.tag: name for name, series in run.series.items() if series.metric and not series.is_eval}


@pytest.mark.parametrize(
    ("name", "algorithm", "version", "mapped", "unmapped"),
    [
        ("ppo112_nmb1", "ppo", "1.12.0", PPO, []),
        ("ppo112_nmb2", "ppo", "1.12.0", PPO, []),
        ("ppo112_min", "ppo", "1.12.0", PPO, []),
        ("ppov2_096tb", "ppo", None, PPO, []),
        ("ppov2_096_negent", "ppo", None, PPO, []),
        ("old710_tensorboard", "ppo-legacy", None, LEGACY, LEGACY_TIMES),
    ],
)
def test_a_ppo_log_is_recognised_and_named(
    name: str, algorithm: str, version: str | None, mapped: dict[str, str], unmapped: list[str]
) -> None:
    run = fixture(name)

    assert ("trl", version, algorithm) == (run.producer, run.producer_version, run.algorithm)
    assert mapped == names(run)
    assert unmapped == list(run.data_health.unmapped_tags)


@pytest.mark.parametrize(
    ("name", "algorithm", "penalises_kl", "reward_function"),
    [
        ("grpo116/out", "grpo", True, "length_reward"),
        ("grpo116/out_conv", "grpo", True, "length_reward"),
        ("grpo_onpolicy", "grpo", False, "uniq"),
        ("grpo_zerostd", "grpo", False, "prompt_only"),
        ("rloo116", "rloo", True, "uniq"),
    ],
)
def test_a_group_log_is_recognised_and_named(
    name: str, algorithm: str, penalises_kl: bool, reward_function: str
) -> None:
    run = fixture(name)
    of_function = {
        f"rewards/{reward_function}/mean": f"reward_func_mean/{reward_function}",
        f"rewards/{reward_function}/std": f"reward_func_std/{reward_function}",
    }
    without_kl = {tag: metric for tag, metric in GRPO.items() if penalises_kl or tag != "kl"}

    assert ("trl", "1.16.0", algorithm) == (run.producer, run.producer_version, run.algorithm)
    assert without_kl | of_function == names(run)
    assert set(TRAINER_END) <= set(run.data_health.unmapped_tags)


def test_evaluation_and_user_metrics_keep_their_place() -> None:
    run = fixture("grpo116/out")

    assert run.series["eval/reward"].steps.tolist() == [4, 6]
    assert run.series["eval/reward_func_mean/length_reward"].is_eval
    assert {"avg_chars", "test/acc", "eval/avg_chars", "eval/test_acc"} <= set(run.data_health.unmapped_tags)
    assert run.series["avg_chars"].steps.tolist() == [1, 3, 5]


def test_a_metric_that_is_absent_by_design_is_no_gap() -> None:
    run = fixture("grpo116/out")

    assert run.series["reward"].steps.tolist() == [1, 3, 5]
    assert (run.data_health.gaps, run.data_health.duplicates, run.data_health.rewinds) == (0, 3, 0)


def test_settings_come_from_the_log() -> None:
    run = fixture("grpo116/out")

    assert (run.config["learning_rate"], run.config["num_iterations"], run.status.total) == (0.001, 2, 6)
    assert run.status.state == "finished"


def test_averages_diluted_by_mini_batches_are_multiplied_back() -> None:
    whole, diluted = fixture("ppo112_nmb1"), fixture("ppo112_nmb2")

    assert np.allclose(1.0, diluted.series["ratio_mean"].values, atol=0.03)
    assert np.allclose(
        whole.series["entropy_per_token"].values[0], diluted.series["entropy_per_token"].values[0], atol=0.1
    )
    assert "multiplied back" in diluted.series["clip_fraction"].caveat
    assert "multiplied back" not in whole.series["clip_fraction"].caveat
    assert "Meaningless" in diluted.series["ratio_variance"].caveat
    assert diluted.series["kl_per_sequence"].caveat == ""


def test_steps_that_are_all_zero_are_counted_in_file_order() -> None:
    run = fixture("ppov2_096tb")

    assert run.series["score"].steps.tolist() == [1, 2, 3, 4, 5]
    assert run.series["episodes"].values.tolist() == sorted(run.series["episodes"].values.tolist())
    assert (run.status.step, run.data_health.duplicates, run.data_health.rewinds) == (5, 0, 0)
    assert any("at step 0" in note for note in run.notes)


def test_nan_stays_nan() -> None:
    run = fixture("ppo112_min")

    assert np.isnan(run.series["ratio_variance"].values).all()
    assert run.data_health.nan == 16


def test_the_caveat_of_a_version_is_not_shown_for_another() -> None:
    assert "padding token" not in fixture("ppo112_nmb1").series["entropy_per_sequence"].caveat
    assert "padding token" in fixture("ppov2_096_negent").series["entropy_per_sequence"].caveat
    assert "k1" in fixture("rloo116").series["kl_per_token"].caveat
    assert fixture("grpo116/out").series["kl_per_token"].caveat == ""
