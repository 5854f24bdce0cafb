"""Tests of nonfinite-metric."""

import math
from collections.abc import Callable

import pytest

from diagnostics.model.outcome import Outcome, Severity, Verdict

Judge = Callable[..., Outcome]


@pytest.mark.parametrize("value", ["nan", "inf", "-inf"])
def test_one_point_that_is_not_finite_is_critical(judge: Judge, value: str) -> None:
    outcome = judge("nonfinite-metric", "ppo", value_loss=f"0.1x5 {value} 0.1x5", score="1x11")
    assert (
        outcome.severity,
        outcome.metric,
        outcome.first_step,
        outcome.last_step,
    ) == (Severity.CRITICAL, "value_loss", 6, 6)
    assert not math.isfinite(outcome.measured)
    assert not outcome.still


def test_the_metric_that_broke_first_is_named(judge: Judge) -> None:
    outcome = judge("nonfinite-metric", "ppo", value_loss="0.1x5 nanx5", score="1x6 nanx4", kl_per_sequence="1x7 nanx3")
    assert outcome.metric == "value_loss"
    assert outcome.message.values["others"] == "tag/score, tag/kl_per_sequence"
    assert outcome.still


def test_the_reward_is_named_before_the_loss_it_breaks_at_the_same_step(judge: Judge) -> None:
    assert judge("nonfinite-metric", "ppo", value_loss="0.1x5 nan", score="1x5 nan").metric == "score"


def test_the_variance_of_one_micro_batch_is_nan_by_construction(judge: Judge) -> None:
    assert judge("nonfinite-metric", "ppo", ratio_variance="nanx9", value_loss="0.1x9").verdict is Verdict.QUIET


def test_a_reward_function_that_does_not_apply_is_no_breakdown(judge: Judge) -> None:
    outcome = judge("nonfinite-metric", "grpo", reward="1x9", functions={"reward_func_mean/judge": "nanx9"})
    assert outcome.verdict is Verdict.QUIET


def test_updates_that_a_loss_scaler_skipped_are_a_note(judge: Judge) -> None:
    outcome = judge("nonfinite-metric", "grpo", config={"fp16": True}, grad_norm="1x5 infx9 1x5", loss="0.1x19")
    assert (outcome.severity, outcome.message.template) == (Severity.INFO, "nonfinite-metric.fired_scaled")


@pytest.mark.parametrize(
    ("fp16", "series"),
    [
        (False, {"grad_norm": "1x5 infx9 1x5", "loss": "0.1x19"}),
        (True, {"grad_norm": "1x5 infx10 1x5", "loss": "0.1x20"}),
        (True, {"grad_norm": "1x14 infx5", "loss": "0.1x19"}),
        (True, {"grad_norm": "1x5 infx9 1x5", "loss": "0.1x5 nan 0.1x13"}),
        (True, {"grad_norm": "1x19", "loss": "0.1x5 nan 0.1x13"}),
    ],
)
def test_others_are_critical(judge: Judge, fp16: bool, series: dict[str, str]) -> None:
    assert judge("nonfinite-metric", "grpo", config={"fp16": fp16}, **series).severity is Severity.CRITICAL


def test_large_numbers_are_finite(judge: Judge) -> None:
    assert judge("nonfinite-metric", "ppo", value_loss="0.1x5 1e300 0.1x5").verdict is Verdict.QUIET


def test_it_is_skipped_where_nothing_of_it_is_logged(judge: Judge) -> None:
    assert judge("nonfinite-metric", "ppo", episodes="1x5").verdict is Verdict.SKIPPED
