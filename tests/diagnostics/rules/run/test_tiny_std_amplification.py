"""Tests of tiny-std-amplification."""

from collections.abc import Callable

import pytest

from diagnostics.model.outcome import Outcome, Severity, Verdict
from diagnostics.model.run import Run
from diagnostics.rules import evaluate

Judge = Callable[..., Outcome]


def test_a_spread_of_one_hundredth_of_the_range_for_ten_points_is_a_warning(judge: Judge) -> None:
    logged = {"reward": "0..1x20 1x30"}
    outcome = judge("tiny-std-amplification", "grpo", reward_std="0.25x20 0.01x10 0.25x20", **logged)
    assert (outcome.severity, outcome.first_step, outcome.limit) == (Severity.WARNING, 21, 0.01)
    assert judge("tiny-std-amplification", "grpo", reward_std="0.25x20 0.01x9 0.25x21", **logged).verdict is (
        Verdict.QUIET
    )
    assert judge("tiny-std-amplification", "grpo", reward_std="0.25x20 0.011x30", **logged).verdict is Verdict.QUIET


def test_small_rewards_are_no_small_differences(judge: Judge) -> None:
    outcome = judge("tiny-std-amplification", "grpo", reward_std="0.0003x50", reward="0..0.001x50")
    assert outcome.verdict is Verdict.QUIET


def test_groups_without_any_difference_are_left_out(judge: Judge) -> None:
    logged = {"reward": "0..1x20 1x30", "reward_std": "0.25x20 0.004x30"}
    few, half = "0x20 0.95x30", "0x20 0.5x30"
    assert judge("tiny-std-amplification", "grpo", zero_std_fraction=half, **logged).verdict is Verdict.FIRED
    assert judge("tiny-std-amplification", "grpo", zero_std_fraction=few, **logged).verdict is Verdict.QUIET
    assert judge("tiny-std-amplification", "grpo", reward="0..1x50", reward_std="0.2x20 0x30").verdict is Verdict.QUIET


@pytest.mark.parametrize(("scale", "is_judged"), [("group", True), (True, True), ("batch", False), (False, False)])
def test_only_scaling_within_groups_amplifies(make_run: Callable[..., Run], scale: object, is_judged: bool) -> None:
    run = make_run("grpo", reward="0..1x50", reward_std="0.2x50", config={"scale_rewards": scale})
    assert ("tiny-std-amplification" in {outcome.rule for outcome in evaluate(run)}) is is_judged


def test_it_is_skipped_where_its_input_is_missing(judge: Judge) -> None:
    assert judge("tiny-std-amplification", "grpo", reward="1x50").verdict is Verdict.SKIPPED
