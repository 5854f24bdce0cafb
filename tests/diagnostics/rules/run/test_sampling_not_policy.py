"""Tests of sampling-not-policy."""

import dataclasses
from collections.abc import Callable

import pytest

from diagnostics.model.outcome import Outcome, Severity, Verdict
from diagnostics.model.run import Run
from diagnostics.rules import evaluate

Judge = Callable[..., Outcome]
RULE = "sampling-not-policy"


@pytest.mark.parametrize(("surprise", "percent"), [("30", 150), ("13.33", 66.65)])
def test_samples_half_as_surprising_again_are_a_warning(judge: Judge, surprise: str, percent: float) -> None:
    outcome = judge(RULE, "ppo", entropy_per_sequence=f"{surprise}x9", entropy_per_token="2x9", length_mean="10x9")
    assert (outcome.severity, outcome.limit) == (Severity.WARNING, 20.0)
    assert outcome.message.values["percent"] == pytest.approx(percent)


@pytest.mark.parametrize("surprise", ["29.9x12", "13.4x12", "20x12", "20x5 60x4 20x9", "60x8"])
def test_less_than_that_or_not_for_long_is_quiet(judge: Judge, surprise: str) -> None:
    logged = {"entropy_per_token": "2x20", "length_mean": "10x20"}
    assert judge(RULE, "ppo", entropy_per_sequence=surprise, **logged).verdict is not Verdict.FIRED


def test_a_policy_that_is_all_but_certain_is_not_judged(judge: Judge) -> None:
    collapsed = {"entropy_per_token": "0.01x12", "length_mean": "10x12"}
    assert judge(RULE, "ppo", entropy_per_sequence="0.5x12", **collapsed).verdict is Verdict.QUIET


def test_cold_sampling_that_is_scored_as_cold_is_no_mismatch(judge: Judge) -> None:
    logged = {"entropy_per_sequence": "20x10 2x10", "entropy_per_token": "2x10 0.2x10", "length_mean": "10x20"}
    assert judge(RULE, "ppo", **logged).verdict is Verdict.QUIET


def test_numbers_that_count_padding_cannot_be_compared(make_run: Callable[..., Run]) -> None:
    run = make_run("ppo", entropy_per_sequence="90x9", entropy_per_token="2x9", length_mean="10x9")
    padded = dataclasses.replace(run.series["entropy_per_token"], caveat="Includes padding.")
    run = dataclasses.replace(run, series={**run.series, "entropy_per_token": padded})
    (outcome,) = (outcome for outcome in evaluate(run) if outcome.rule == RULE)
    assert outcome.verdict is Verdict.SKIPPED


def test_it_is_skipped_where_no_length_is_logged(judge: Judge) -> None:
    assert judge(RULE, "ppo", entropy_per_sequence="90x9", entropy_per_token="2x9").verdict is Verdict.SKIPPED


@pytest.mark.parametrize("algorithm", ["ppo", "grpo"])
@pytest.mark.parametrize(("drawn", "severity"), [(1.09, None), (1.1, Severity.WARNING), (0.5, Severity.WARNING)])
def test_settings_that_name_another_temperature_need_no_measurement(
    judge: Judge, algorithm: str, drawn: float, severity: Severity | None
) -> None:
    config = {"rollout_temperature": drawn, "temperature": 1.0}
    assert judge(RULE, algorithm, reward="0.5x3", score="0.5x3", config=config).severity is severity


@pytest.mark.parametrize(("surprise", "severity"), [("10x9", Severity.WARNING), ("20x9", None)])
def test_a_group_method_that_logs_how_surprising_its_samples_are_is_measured(
    judge: Judge, surprise: str, severity: Severity | None
) -> None:
    logged = {"entropy_per_sequence": surprise, "entropy_per_token": "2x9", "length_mean": "10x9"}
    for config in ({}, {"rollout_temperature": 1.0}):
        assert judge(RULE, "grpo", config=config, **logged).severity is severity


def test_where_no_temperature_of_its_own_is_set_group_methods_are_not_judged(make_run: Callable[..., Run]) -> None:
    for drawn, is_judged in ((None, False), (1.0, True)):
        run = make_run("grpo", reward="0.5x20", config={"rollout_temperature": drawn})
        assert any(outcome.rule == RULE for outcome in evaluate(run)) is is_judged
