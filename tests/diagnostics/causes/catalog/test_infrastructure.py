"""Tests of causes in the value model and the rollout engine."""

from collections.abc import Callable

from diagnostics.model.run import Run
from tests.diagnostics.causes.explained import causes, diagnosed

MakeRun = Callable[..., Run]


def test_a_value_loss_that_jumps_alone_is_a_broken_critic(make_run: MakeRun) -> None:
    assert causes(make_run("ppo", value_loss="1x25 9x9")) == ["critic-broken"]


def test_engines_that_drift_apart_explain_the_noise_that_follows(make_run: MakeRun) -> None:
    run = make_run("grpo", engine_logprob_difference="0.01x25 0.09x35", entropy_per_token="1x40 3x20")
    (cause,) = diagnosed(run)
    assert cause.cause == "engine-mismatch"


def test_a_value_loss_that_jumps_with_the_reward_is_not_a_broken_critic(make_run: MakeRun) -> None:
    assert causes(make_run("ppo", value_loss="1x25 9x9", score="1x25 3x9")) == []
