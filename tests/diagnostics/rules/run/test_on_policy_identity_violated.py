"""Tests of on-policy-identity-violated."""

from collections.abc import Callable
from typing import Any

import pytest

from diagnostics.model.outcome import Outcome, Severity, Verdict
from diagnostics.model.run import Run
from diagnostics.rules import evaluate

Judge = Callable[..., Outcome]


VERL = {
    "data.train_batch_size": 256,
    "actor_rollout_ref.actor.ppo_mini_batch_size": 256,
    "actor_rollout_ref.actor.ppo_epochs": 1,
}
ONCE = {"num_ppo_epochs": 1, "num_mini_batches": 1, "gradient_accumulation_steps": 1}


@pytest.mark.parametrize(
    ("off", "near"),
    [
        ({"ratio_mean": "1.002x3 1x9"}, {"ratio_mean": "1.0009x12"}),
        ({"ratio_mean": "0.998x3 1x9"}, {"ratio_mean": "0.9991x12"}),
        ({"approx_kl": "0.001x3 0x9"}, {"approx_kl": "0.0009x12"}),
        ({"clip_fraction": "0.001x3 0x9"}, {"clip_fraction": "0.0006x12"}),
    ],
)
def test_what_must_be_trivial_and_is_not_is_a_warning(judge: Judge, off: dict[str, Any], near: dict[str, Any]) -> None:
    outcome = judge("on-policy-identity-violated", "ppo", config=ONCE, **off)
    assert (outcome.severity, outcome.first_step, outcome.metric) == (Severity.WARNING, 1, next(iter(off)))
    assert judge("on-policy-identity-violated", "ppo", config=ONCE, **near).verdict is Verdict.QUIET


def test_two_points_are_not_enough(judge: Judge) -> None:
    outcome = judge("on-policy-identity-violated", "ppo", config=ONCE, ratio_mean="1.1x2 1x9")
    assert outcome.verdict is Verdict.QUIET


def test_clipping_in_grpo_on_policy_is_a_violation(judge: Judge) -> None:
    config = {"num_iterations": 1, "gradient_accumulation_steps": 2, "steps_per_generation": 2}
    outcome = judge("on-policy-identity-violated", "grpo", config=config, clip_ratio_region_mean="0.01x9")
    assert outcome.severity is Severity.WARNING


def test_verl_updates_once_where_a_mini_batch_is_the_whole(judge: Judge) -> None:
    outcome = judge("on-policy-identity-violated", "grpo", config=VERL, policy_kl="-0.01x9")
    assert outcome.severity is Severity.WARNING
    assert judge("on-policy-identity-violated", "grpo", config=VERL, policy_kl="0x9").verdict is Verdict.QUIET


@pytest.mark.parametrize(
    "config",
    [
        {"num_iterations": 2},
        {"num_iterations": 1, "gradient_accumulation_steps": 2, "steps_per_generation": 4},
        {"num_iterations": 1, "use_vllm": True},
        VERL | {"data.train_batch_size": 1024},
        VERL | {"actor_rollout_ref.actor.ppo_epochs": 2},
        VERL | {"algorithm": {"rollout_correction": {"bypass_mode": True}}},
    ],
)
def test_a_batch_that_is_used_again_is_another_story(make_run: Callable[..., Run], config: dict[str, Any]) -> None:
    run = make_run("grpo", config=config, clip_ratio_region_mean="0.1x9")
    assert "on-policy-identity-violated" not in {outcome.rule for outcome in evaluate(run)}


def test_it_is_skipped_where_the_configuration_is_not_known(judge: Judge) -> None:
    outcome = judge("on-policy-identity-violated", "ppo", ratio_mean="1.1x9")
    assert (outcome.verdict, outcome.enable is not None) == (Verdict.SKIPPED, True)


def test_it_is_skipped_where_its_inputs_are_missing(judge: Judge) -> None:
    assert judge("on-policy-identity-violated", "ppo", config=ONCE, score="1x9").verdict is Verdict.SKIPPED
