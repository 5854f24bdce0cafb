"""Tests of settings by canonical name, in the words of TRL, verl and OpenRLHF."""

from collections.abc import Callable
from typing import Any

import pytest

from diagnostics.model.run import Run

MakeRun = Callable[..., Run]
ACTOR = "actor_rollout_ref.actor"


def verl(prompts: int, part: int, passes: int = 1) -> dict[str, Any]:
    actor = {"ppo_mini_batch_size": part, "ppo_epochs": passes}
    return {"data": {"train_batch_size": prompts}, "actor_rollout_ref": {"actor": actor, "rollout": {"n": 8}}}


def openrlhf(prompts: int, group: int, part: int, passes: int = 1) -> dict[str, Any]:
    return {
        "rollout_batch_size": prompts,
        "n_samples_per_prompt": group,
        "train_batch_size": part,
        "max_epochs": passes,
    }


def test_a_setting_goes_by_its_canonical_name_whoever_states_it(make_run: MakeRun) -> None:
    assert make_run("grpo", config={"num_generations": 4}).settings.number("num_generations") == 4
    assert make_run("grpo", config=verl(256, 256)).settings.number("num_generations") == 8
    assert make_run("grpo", config={"scale_rewards": True}).settings.number("scale_rewards") is None
    assert make_run("grpo", config={}).settings.value("num_generations", 2) == 2


@pytest.mark.parametrize(
    ("config", "updates"),
    [
        (verl(256, 256), 1),
        (verl(1024, 256), 4),
        (verl(1024, 256, 2), 8),
        (verl(128, 256), 1),
        (openrlhf(1024, 8, 128), 64),
        (openrlhf(16, 8, 128, 2), 2),
        ({"num_iterations": 2}, None),
        ({"train_batch_size": 8}, None),
        (verl(0, 256), None),
        ({f"{ACTOR}.ppo_epochs": 1, "data.train_batch_size": 8, f"{ACTOR}.ppo_mini_batch_size": "auto"}, None),
    ],
)
def test_verls_and_openrlhfs_updates_of_a_batch_are_counted(
    make_run: MakeRun, config: dict[str, Any], updates: int | None
) -> None:
    assert make_run("grpo", config=config).settings.updates_per_batch == updates


@pytest.mark.parametrize(("config", "updates"), [({"num_iterations": 3}, 3), ({}, 1), (verl(1024, 256), 4)])
def test_a_generation_is_learnt_from_as_often_as_the_settings_say(
    make_run: MakeRun, config: dict[str, Any], updates: int
) -> None:
    assert make_run("grpo", config=config).settings.updates_per_generation == updates


@pytest.mark.parametrize(
    ("config", "weight"),
    [
        ({"beta": 0.0}, 0.0),
        ({"kl_coef": 0.05}, 0.05),
        ({}, None),
        ({f"{ACTOR}.kl_loss_coef": 0.001, f"{ACTOR}.use_kl_loss": True}, 0.001),
        ({f"{ACTOR}.kl_loss_coef": 0.001, f"{ACTOR}.use_kl_loss": False}, 0.0),
        (
            {
                f"{ACTOR}.kl_loss_coef": 0.1,
                f"{ACTOR}.use_kl_loss": False,
                "algorithm": {"use_kl_in_reward": True, "kl_ctrl": {"kl_coef": 0.01}},
            },
            0.01,
        ),
    ],
)
def test_a_penalty_that_is_switched_off_weighs_nothing(
    make_run: MakeRun, config: dict[str, Any], weight: float | None
) -> None:
    assert make_run("grpo", config=config).settings.kl_weight == weight


def test_an_integer_beyond_the_range_of_floats_is_no_number(make_run: MakeRun) -> None:
    assert make_run("grpo", config={"beta": -(10**400)}).settings.number("kl_weight") is None
