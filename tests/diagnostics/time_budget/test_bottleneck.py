"""Tests of the bottleneck: what holds a run up, what a step would take without it, and what is only a bound."""

from collections.abc import Callable

import pytest

from diagnostics.model.run import Run
from diagnostics.time_budget.bottleneck import Bottleneck, bottleneck
from diagnostics.time_budget.budget import time_budget

Found = Callable[..., Bottleneck | None]


@pytest.fixture
def found(make_run: Callable[..., Run]) -> Found:
    def find(**times: str) -> Bottleneck | None:
        budget = time_budget(make_run("grpo", **times))
        assert budget is not None
        return bottleneck(budget)

    return find


def test_in_turn_the_largest_stage_holds_a_step_up(found: Found) -> None:
    times = {"step_time": "10x5", "generation_time": "6x5", "update_time": "3x5"}
    assert found(**times) == Bottleneck("generate", 0.6, 0.4, is_bound=False, rivals=())


def test_two_stages_of_nearly_the_same_length_are_both_named(found: Found) -> None:
    result = found(step_time="10x5", generation_time="5x5", update_time="4x5")
    assert result is not None
    assert (result.stage, result.rivals) == ("generate", ("update",))


def test_a_stage_that_is_not_timed_is_never_named(found: Found) -> None:
    assert found(step_time="10x5", generation_time="0.4x5") is None


def test_a_waiting_trainer_waits_for_generation(found: Found) -> None:
    times = {"step_time": "10x5", "rollout_wait_time": "4x5", "update_time": "6x5", "backpressure_time": "0x5"}
    assert found(**times) == Bottleneck("generate", 0.4, 0.6, is_bound=False, rivals=())


def test_a_trainer_can_only_be_sped_up_until_the_rollouts_hold_it_up(found: Found) -> None:
    times = {"step_time": "10x5", "rollout_wait_time": "0x5", "update_time": "9x5", "backpressure_time": "3x5"}
    assert found(**times) == Bottleneck("update", 0.9, 0.7, is_bound=False, rivals=())


def test_without_backpressure_the_gain_is_a_bound(found: Found) -> None:
    result = found(step_time="10x5", rollout_wait_time="0x5", update_time="9x5")
    assert result is not None
    assert (result.stage, result.without, result.is_bound) == ("update", pytest.approx(0.1), True)


def test_a_grader_slower_than_generation_is_what_the_trainer_waits_for(found: Found) -> None:
    times = {"step_time": "10x5", "rollout_wait_time": "6x5", "generation_time": "3x5"}
    for seconds, stage in (("5x5", "score"), ("2x5", "generate")):
        result = found(**times, reward_time=seconds)
        assert result is not None
        assert result.stage == stage


def test_a_sync_holds_up_both_sides(found: Found) -> None:
    times = {"step_time": "10x5", "rollout_wait_time": "1x5", "update_time": "4x5", "backpressure_time": "0x5"}
    assert found(**times, weight_sync_time="5x5") == Bottleneck("sync", 0.5, 0.5, is_bound=False, rivals=())
