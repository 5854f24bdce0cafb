"""Tests of stability-metric-collapsed."""

from collections.abc import Callable

import pytest

from diagnostics.model.outcome import Outcome, Severity, Verdict

Judge = Callable[..., Outcome]


@pytest.mark.parametrize("metric", ["entropy_per_token", "kl_per_sequence"])
def test_a_hundredth_for_twenty_points_is_a_warning(judge: Judge, metric: str) -> None:
    outcome = judge("stability-metric-collapsed", "ppo", **{metric: "2x40 0.02x20"})
    assert (Severity.WARNING, metric, 41, 60) == (
        outcome.severity,
        outcome.metric,
        outcome.first_step,
        outcome.last_step,
    )


def test_nineteen_points_are_not(judge: Judge) -> None:
    assert judge("stability-metric-collapsed", "ppo", entropy_per_token="2x40 0.02x19").verdict is Verdict.QUIET


def test_a_tenth_is_healthy(judge: Judge) -> None:
    assert judge("stability-metric-collapsed", "ppo", entropy_per_token="2x40 0.2x40").verdict is Verdict.QUIET


def test_a_small_value_loss_is_only_noted(judge: Judge) -> None:
    assert judge("stability-metric-collapsed", "ppo", value_loss="1x40 0.001x30").severity is Severity.INFO


def test_a_negative_kl_has_not_collapsed_to_zero(judge: Judge) -> None:
    assert judge("stability-metric-collapsed", "ppo", kl_per_sequence="2x40 -3x30").verdict is Verdict.QUIET


def test_small_updates_by_a_decayed_learning_rate_are_healthy(judge: Judge) -> None:
    series = {"approx_kl": "0.01x40 1e-5x30", "learning_rate": "1e-4x40 1e-6x30", "kl_per_sequence": "1x70"}
    assert judge("stability-metric-collapsed", "ppo", **series).verdict is Verdict.QUIET


def test_updates_of_nothing_at_a_full_learning_rate_are_a_warning(judge: Judge) -> None:
    outcome = judge("stability-metric-collapsed", "ppo", approx_kl="0.01x40 1e-5x30", learning_rate="1e-4x70")
    assert (outcome.severity, outcome.metric) == (Severity.WARNING, "approx_kl")


def test_a_short_run_says_how_many_points_it_needs(judge: Judge) -> None:
    outcome = judge("stability-metric-collapsed", "ppo", entropy_per_token="2x30 0x19")
    assert (outcome.verdict, outcome.message.values["needed"]) == (Verdict.SKIPPED, 50)


def test_it_is_skipped_where_its_inputs_are_missing(judge: Judge) -> None:
    assert judge("stability-metric-collapsed", "ppo", score="1x80").verdict is Verdict.SKIPPED
