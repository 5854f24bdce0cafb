"""Tests of the names in logs of loops of one's own: what they mean, and which algorithm a path names."""

import json
from pathlib import Path

import pytest

from diagnostics.api import open_run
from diagnostics.producers.loose_names import loose_names


@pytest.mark.parametrize(
    ("tag", "metric"),
    [
        ("avg_reward", "reward"),
        ("Mean Reward", "reward"),
        ("train/meanReward", "reward"),
        ("rewards_avg", "reward"),
        ("reward/std", "reward_std"),
        ("kl_div", "kl_per_sequence"),
        ("KL", "kl_per_sequence"),
        ("pg_loss", "policy_loss"),
        ("Critic Loss", "value_loss"),
        ("mean_entropy", "entropy_per_token"),
        ("LR", "learning_rate"),
        ("Average reward over 8 rollouts", "reward"),
        ("losses", "loss"),
        ("avg_response_len", "length_mean"),
        ("completion_len", "length_mean"),
        ("avg_gen_tokens", "length_mean"),
        ("truncation_rate", "truncated_fraction"),
        ("val_var_explained", "explained_variance"),
        ("frac_zero_std", "zero_std_fraction"),
        ("mean_return", "reward"),
    ],
)
def test_a_name_is_known_by_its_words(tag: str, metric: str) -> None:
    assert loose_names([tag]) == {tag: metric}


@pytest.mark.parametrize(
    "tag",
    ["max_reward", "reward_weight", "kl_coef", "loss_scale", "mean", "", "gen_tokens", "response_chars", "prompt_len"],
)
def test_other_names_are_not(tag: str) -> None:
    assert loose_names([tag]) == {}


@pytest.mark.parametrize(
    ("tag", "metric"),
    [
        ("eval_acc", "eval/reward"),
        ("Validation Accuracy", "eval/reward"),
        ("format_reward_avg", "reward_func_mean/format"),
        ("reward/correctness", "reward_func_mean/correctness"),
    ],
)
def test_what_is_evaluated_and_what_functions_give_is_known_beside_a_reward(tag: str, metric: str) -> None:
    assert loose_names([tag, "avg_reward"]) == {tag: metric, "avg_reward": "reward"}
    assert loose_names([tag, "loss"]) == {"loss": "loss"}


def test_of_two_tags_of_one_metric_the_plainer_name_is_it() -> None:
    assert loose_names(["success_rate", "avg_reward"]) == {"avg_reward": "reward"}


def test_the_kl_that_trl_names_is_it_beside_another_one(tmp_path: Path) -> None:
    file = tmp_path / "ppo.jsonl"
    rows = ({"step": step, "kl": 0.1, "objective/kl": -9.0, "reward": 0.5} for step in range(20))
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    run = open_run(file)

    assert run.series["kl_per_sequence"].values.tolist() == [-9.0] * 20
    assert run.series["kl"].values.tolist() == [0.1] * 20


@pytest.mark.parametrize(
    ("path", "algorithm"),
    [
        ("grpo_metrics.jsonl", "grpo"),
        ("run-PPO/logs/metrics.jsonl", "ppo"),
        ("rloo/metrics.jsonl", "rloo"),
        ("ppo/grpo-7.jsonl", "grpo"),
        ("ppo-and-grpo/metrics.jsonl", "unknown"),
        ("happo/metrics.jsonl", "unknown"),
    ],
)
def test_the_algorithm_is_the_one_that_the_path_names(tmp_path: Path, path: str, algorithm: str) -> None:
    file = tmp_path / "a" / "b" / path
    file.parent.mkdir(parents=True)
    file.write_text("".join(f"{json.dumps({'step': step, 'avg_reward': 0.5, 'lr': 1e-6})}\n" for step in range(20)))
    run = open_run(file)

    assert (run.producer, run.algorithm) == ("unknown", algorithm)
    told = {"its path names" in note for note in run.notes if "does not say its algorithm" in note}
    assert told == {algorithm != "unknown"}


def test_a_path_names_no_algorithm_of_a_log_without_rewards(tmp_path: Path) -> None:
    file = tmp_path / "grpo.jsonl"
    file.write_text("".join(f'{{"step": {step}, "loss": 0.5, "epoch": 1}}\n' for step in range(20)))
    assert open_run(file).algorithm == "unknown"
