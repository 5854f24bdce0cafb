"""Tests of reward-scale-extreme."""

from collections.abc import Callable
from typing import Any

import pytest

from diagnostics.model.outcome import Outcome, Severity, Verdict
from diagnostics.model.run import Run
from diagnostics.rules import evaluate

Judge = Callable[..., Outcome]


@pytest.mark.parametrize("level", ["10", "-10"])
def test_a_mean_of_ten_for_three_points_is_a_warning(judge: Judge, level: str) -> None:
    outcome = judge("reward-scale-extreme", "ppo", score=f"1x9 {level}x5 1x9")
    assert (outcome.severity, outcome.first_step, outcome.limit) == (Severity.WARNING, 10, 10.0)
    assert judge("reward-scale-extreme", "ppo", score="9.9x20").verdict is Verdict.QUIET


def test_a_spread_of_five_is_too_large_as_well(judge: Judge) -> None:
    assert judge("reward-scale-extreme", "ppo", score="0x20", score_std="5x20").severity is Severity.WARNING
    assert judge("reward-scale-extreme", "ppo", score="0x20", score_std="4.9x20").verdict is Verdict.QUIET


def test_single_high_scores_are_quiet(judge: Judge) -> None:
    assert judge("reward-scale-extreme", "ppo", score="1x9 90x2 1x9").verdict is Verdict.QUIET


def test_what_is_trained_on_counts_and_not_the_raw_score(judge: Judge) -> None:
    assert judge("reward-scale-extreme", "ppo-legacy", score="90x20", scaled_score="1x20").verdict is Verdict.QUIET


def test_whitened_rewards_bear_any_spread_but_keep_their_mean(judge: Judge) -> None:
    for series, verdict in (
        ({"score": "90x20"}, Verdict.FIRED),
        ({"score": "1x20", "score_std": "9x20"}, Verdict.QUIET),
    ):
        outcome = judge("reward-scale-extreme", "ppo", config={"whiten_rewards": True}, **series)
        assert outcome.verdict is verdict


@pytest.mark.parametrize("config", [{"cliprange_value": 5.0}, {"cliprange_value": 0.0}])
def test_wide_clip_ranges_bear_any_scale(make_run: Callable[..., Run], config: dict[str, Any]) -> None:
    run = make_run("ppo", score="90x20", config=config)
    assert "reward-scale-extreme" not in {outcome.rule for outcome in evaluate(run)}


@pytest.mark.parametrize("scale", ["none", False])
def test_rewards_of_grpo_that_differ_by_five_and_are_not_scaled_are_a_warning(judge: Judge, scale: object) -> None:
    config = {"scale_rewards": scale}
    outcome = judge("reward-scale-extreme", "grpo", reward_std="1x9 5x5 1x9", config=config)
    assert (outcome.severity, outcome.first_step, outcome.limit) == (Severity.WARNING, 10, 5.0)
    assert outcome.message.values["scale"] == str(scale)
    assert judge("reward-scale-extreme", "grpo", reward_std="4.9x20", config=config).verdict is Verdict.QUIET
    assert judge("reward-scale-extreme", "grpo", reward="90x20", config=config).verdict is Verdict.SKIPPED


@pytest.mark.parametrize("config", [{"scale_rewards": "group"}, {"scale_rewards": "batch"}, {}])
def test_rewards_that_grpo_scales_may_have_any_size(make_run: Callable[..., Run], config: dict[str, Any]) -> None:
    run = make_run("grpo", reward_std="90x20", config=config)
    assert "reward-scale-extreme" not in {outcome.rule for outcome in evaluate(run)}


def test_it_is_skipped_where_its_input_is_missing(judge: Judge) -> None:
    assert judge("reward-scale-extreme", "ppo", value_loss="1x20").verdict is Verdict.SKIPPED
