"""Tests of causes in the value model."""

from collections.abc import Callable

from diagnostics.model.run import Run
from diagnostics.rules import evaluate
from tests.diagnostics.causes.explained import causes

MakeRun = Callable[..., Run]


def test_a_value_loss_that_jumps_alone_is_a_broken_critic(make_run: MakeRun) -> None:
    assert causes(make_run("ppo", value_loss="1x25 9x9")) == ["critic-broken"]


def test_a_value_loss_that_jumps_after_the_task_was_solved_is_no_broken_critic(make_run: MakeRun) -> None:
    run = make_run("ppo", value_loss="1x10 0.01x50 0.2x9", score="0.5..1x10 1x59", rlhf_reward="0.5..1x10 1x59")
    assert {"value-loss-spike", "reward-saturated"} <= {outcome.rule for outcome in evaluate(run) if outcome.severity}
    assert causes(run) == ["task-too-easy"]


def test_a_value_loss_that_jumps_with_the_reward_is_not_a_broken_critic(make_run: MakeRun) -> None:
    assert causes(make_run("ppo", value_loss="1x25 9x9", score="1x25 3x9")) == []
