"""Tests of remedies: the producer's own argument, the value it has, and a better one."""

from collections.abc import Callable
from typing import Any

import pytest

from diagnostics.causes.remedies.catalog import REMEDIES, fixes_for
from diagnostics.model.run import Run

MakeRun = Callable[..., Run]


def fix(run: Run, remedy: str) -> tuple[str, Any, Any] | None:
    found = REMEDIES[remedy].fix(run)
    return None if found is None else (found.parameter, found.current, found.suggested)


@pytest.mark.parametrize(
    ("algorithm", "remedy", "config", "expected"),
    [
        ("ppo", "much-lower-learning-rate", {"learning_rate": 0.005}, ("learning_rate", 0.005, 0.0005)),
        ("grpo", "lower-learning-rate", {"learning_rate": 3e-6}, ("learning_rate", 3e-6, 1e-6)),
        ("ppo", "lower-learning-rate", {}, ("learning_rate", None, None)),
        ("ppo", "fewer-epochs", {"num_ppo_epochs": 4}, ("num_ppo_epochs", 4, 2)),
        ("ppo-legacy", "fewer-epochs", {"ppo_epochs": 4}, ("ppo_epochs", 4, 2)),
        ("grpo", "fewer-epochs", {"num_iterations": 1}, None),
        ("grpo", "restored-clip-range", {"epsilon": 10.0}, ("epsilon", 10.0, 0.2)),
        ("ppo", "restored-clip-range", {"cliprange": 0.2}, None),
        ("ppo", "clipped-gradient", {"max_grad_norm": None}, ("max_grad_norm", None, 1.0)),
        ("ppo", "clipped-gradient", {"max_grad_norm": 1.0}, None),
        ("ppo", "longer-completions", {"response_length": 8}, ("response_length", 8, 24)),
        ("grpo", "longer-completions", {"max_completion_length": 8}, ("max_completion_length", 8, 24)),
        ("ppo", "stronger-kl", {"kl_coef": 0.05}, ("kl_coef", 0.05, 0.15)),
        ("ppo-legacy", "stronger-kl", {"init_kl_coef": 0.2}, ("init_kl_coef", 0.2, 0.6)),
        ("grpo", "stronger-kl", {"beta": 0.0}, ("beta", 0.0, 0.05)),
        ("ppo", "free-end", {"min_new_tokens": 12}, ("min_new_tokens", 12, 0)),
        ("ppo", "free-end", {"min_new_tokens": 0}, None),
        ("ppo-legacy", "free-end", {}, ("min_length", None, -1)),
        ("ppo", "no-top-k", {"top_k": 5}, ("top_k", 5, 0)),
        ("ppo", "no-top-k", {"top_k": None}, ("top_k", None, 0)),
        (
            "ppo",
            "scored-temperature",
            {"rollout_temperature": 2.0, "temperature": 0.7},
            ("rollout_temperature", 2.0, 0.7),
        ),
        ("ppo", "scored-temperature", {"rollout_temperature": None}, None),
        ("ppo", "scored-temperature", {}, None),
        ("ppo", "eos-trick", {"missing_eos_penalty": None}, ("missing_eos_penalty", None, 1.0)),
        ("ppo", "eos-trick", {"missing_eos_penalty": 0.5}, None),
        ("grpo", "eos-trick", {}, None),
        ("grpo", "bf16", {"bf16": False, "fp16": True}, ("bf16", False, True)),
        ("grpo", "bf16", {"bf16": False, "fp16": False}, None),
        ("grpo", "wider-clip-range", {"epsilon": 0.2, "epsilon_high": None}, ("epsilon_high", None, 0.28)),
        ("unknown", "stronger-kl", {"init_kl_coef": 0.2}, ("init_kl_coef", 0.2, 0.6)),
    ],
)
def test_a_remedy_speaks_the_producers_language(
    make_run: MakeRun, algorithm: str, remedy: str, config: dict[str, Any], expected: tuple[str, Any, Any] | None
) -> None:
    assert fix(make_run(algorithm, config=config), remedy) == expected


VERL = "actor_rollout_ref.actor"


@pytest.mark.parametrize(
    ("remedy", "config", "expected"),
    [
        ("longer-completions", {"data": {"max_response_length": 8}}, ("data.max_response_length", 8, 24)),
        ("longer-completions", {"data.max_response_length": 8}, ("data.max_response_length", 8, 24)),
        ("longer-completions", {"data/max_response_length": 8}, ("data.max_response_length", 8, 24)),
        ("longer-completions", {"generate_max_len": 8}, ("generate_max_len", 8, 24)),
        (
            "checked-reward",
            {"custom_reward_function": {"path": None, "name": "compute_score"}},
            ("custom_reward_function.path", None, None),
        ),
        (
            "much-lower-learning-rate",
            {"actor_rollout_ref": {"actor": {"optim": {"lr": 1e-3}}}},
            (f"{VERL}.optim.lr", 1e-3, 1e-4),
        ),
        ("fewer-epochs", {f"{VERL}.ppo_epochs": 4}, (f"{VERL}.ppo_epochs", 4, 2)),
        (
            "stronger-kl",
            {f"{VERL}.kl_loss_coef": 0.1, f"{VERL}.use_kl_loss": True},
            (f"{VERL}.kl_loss_coef", 0.1, 0.3),
        ),
        (
            "stronger-kl",
            {
                f"{VERL}.kl_loss_coef": 0.1,
                f"{VERL}.use_kl_loss": False,
                "algorithm": {"kl_ctrl": {"kl_coef": 0.01}, "use_kl_in_reward": True},
            },
            ("algorithm.kl_ctrl.kl_coef", 0.01, 0.03),
        ),
        (
            "unscaled-rewards",
            {"algorithm": {"norm_adv_by_std_in_grpo": True}},
            ("algorithm.norm_adv_by_std_in_grpo", True, False),
        ),
        ("unscaled-rewards", {"scale_rewards": "group"}, ("scale_rewards", "group", "batch")),
        ("scaled-rewards", {"scale_rewards": "none"}, ("scale_rewards", "none", "batch")),
        ("scaled-rewards", {"scale_rewards": False}, ("scale_rewards", False, True)),
        ("scaled-rewards", {"scale_rewards": "group"}, None),
        ("scaled-rewards", {}, None),
        ("longer-completions", {"data": "gsm8k"}, ("max_completion_length", None, None)),
        ("longer-completions", {"data": {"max_response_length": None}}, ("data.max_response_length", None, None)),
    ],
)
def test_a_remedy_speaks_verls_and_openrlhfs_language_too(
    make_run: MakeRun, remedy: str, config: dict[str, Any], expected: tuple[str, Any, Any] | None
) -> None:
    assert fix(make_run("grpo", config=config), remedy) == expected


def test_what_transformers_logs_of_the_models_own_file_is_no_argument(make_run: MakeRun) -> None:
    run = make_run("grpo", config={"_name_or_path": "/models/tiny"})
    assert {fix.parameter for name in REMEDIES if (fix := REMEDIES[name].fix(run))} & {"_name_or_path"} == set()


def test_an_argument_is_suggested_once(make_run: MakeRun) -> None:
    run = make_run("ppo", config={"learning_rate": 0.01})
    fixes = fixes_for(run, ("much-lower-learning-rate", "lower-learning-rate"))
    assert [(item.parameter, item.suggested) for item in fixes] == [("learning_rate", 0.001)]


def test_every_remedy_says_why_and_by_whom() -> None:
    assert [name for name, remedy in REMEDIES.items() if not remedy.why.endswith(".") or not remedy.source] == []


@pytest.mark.parametrize(
    ("functions", "config", "is_tried"),
    [
        ((), {}, False),
        (("accuracy",), {"reward_funcs": ["accuracy"], "reward_weights": None}, False),
        (("accuracy", "format"), {}, True),
        ((), {"reward_funcs": ["accuracy", "format"]}, True),
        ((), {"reward_weights": [1.0, 0.5]}, True),
    ],
)
def test_weights_are_for_several_rewards(
    make_run: MakeRun, functions: tuple[str, ...], config: dict[str, Any], is_tried: bool
) -> None:
    run = make_run("grpo", config=config, functions={f"reward_func_mean/{name}": "0.5x9" for name in functions})
    assert (fix(run, "reweighted-rewards") is not None) is is_tried


@pytest.mark.parametrize(("score", "is_tried"), [("0x9", True), ("0.9x9", True), ("0.96 1x8", False), ("1 2x8", True)])
def test_easier_prompts_are_for_what_is_not_solved(make_run: MakeRun, score: str, *, is_tried: bool) -> None:
    assert (fix(make_run("ppo", score=score), "easier-prompts") is not None) is is_tried


def test_a_clip_range_far_below_the_usual_one_is_restored(make_run: MakeRun) -> None:
    assert fix(make_run("ppo", config={"cliprange": 0.001}), "wider-clip-range") == ("cliprange", 0.001, 0.2)
    assert fix(make_run("ppo", config={"cliprange": 0.1}), "wider-clip-range") == ("cliprange", 0.1, 0.14)
