"""Tests of kl-nonzero-at-start."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from diagnostics.model.outcome import Outcome, Severity, Verdict
from diagnostics.model.run import Run
from diagnostics.rules import RUN_RULES, engine
from diagnostics.rules.run.kl_nonzero_at_start import KlNonzeroAtStart

MakeRun = Callable[..., Run]
Judge = Callable[..., Outcome]


def from_step(make_run: MakeRun, first: int, kl: float) -> Outcome:
    run = make_run("grpo", kl_per_token=f"{kl}x5")
    series = {name: replace(item, steps=np.arange(first, first + 5)) for name, item in run.series.items()}
    (outcome,) = engine.evaluate(replace(run, series=series), [KlNonzeroAtStart()])
    return outcome


def test_a_kl_above_rounding_at_step_one_is_critical(judge_harmed: Judge) -> None:
    outcome = judge_harmed("kl-nonzero-at-start", "grpo", kl_per_token="0.06 0.01x9")
    assert (outcome.severity, outcome.first_step, outcome.last_step, outcome.limit) == (Severity.CRITICAL, 1, 1, 0.05)
    assert judge_harmed("kl-nonzero-at-start", "grpo", kl_per_token="0.05 0.01x9").verdict is Verdict.QUIET


def test_while_the_score_rises_it_is_a_note(make_run: MakeRun) -> None:
    logged = {"kl_per_token": "0.09 0.03x59", "reward_std": "4x60"}
    for reward, severity in (("-4 0..5x59", Severity.INFO), ("-4 -4.1 " * 30, Severity.WARNING)):
        outcomes = engine.evaluate(make_run("grpo", reward=reward, **logged), RUN_RULES)
        (found,) = (outcome for outcome in outcomes if outcome.rule == "kl-nonzero-at-start")
        assert found.severity is severity


def test_a_negative_one_is_as_wrong(judge_harmed: Judge) -> None:
    logged = {"kl_per_sequence": "-0.6x9", "length_mean": "10x9"}
    assert judge_harmed("kl-nonzero-at-start", "ppo", **logged).severity is Severity.CRITICAL


def test_a_kl_that_rises_later_is_quiet(judge: Judge) -> None:
    outcome = judge("kl-nonzero-at-start", "grpo", kl_per_token="0 0.5x9")
    assert (outcome.verdict, outcome.is_of_start) == (Verdict.QUIET, True)


@pytest.mark.parametrize(
    ("first", "kl", "verdict"),
    [
        (1, 0.06, Verdict.FIRED),
        (2, 0.06, Verdict.QUIET),
        (10, 0.21, Verdict.FIRED),
        (10, 0.2, Verdict.QUIET),
        (11, 0.21, Verdict.SKIPPED),
    ],
)
def test_an_average_over_the_first_steps_may_be_larger(
    make_run: MakeRun, first: int, kl: float, verdict: Verdict
) -> None:
    assert from_step(make_run, first, kl).verdict is verdict


def test_an_average_is_no_more_than_a_warning(make_run: MakeRun) -> None:
    assert from_step(make_run, 2, 0.21).severity is Severity.WARNING


@pytest.mark.parametrize(("second", "verdict"), [(0.31, Verdict.FIRED), (0.32, Verdict.QUIET)])
def test_an_average_that_grows_on_may_have_started_at_nothing(judge: Judge, second: float, verdict: Verdict) -> None:
    logged = {"kl_per_token": f"0.21 {second} 0.4x8"}
    assert judge("kl-nonzero-at-start", "grpo", **logged, config={"num_iterations": 2}).verdict is verdict
    assert judge("kl-nonzero-at-start", "grpo", **logged).verdict is Verdict.FIRED


@pytest.mark.parametrize(
    ("reused", "kl", "verdict"),
    [
        (2, 0.2, Verdict.QUIET),
        (2, 0.21, Verdict.FIRED),
        (10, 0.21, Verdict.FIRED),
        (11, 9.0, Verdict.SKIPPED),
        ("two", 0.06, Verdict.FIRED),
    ],
)
def test_updates_from_the_same_samples_go_into_the_first_point(
    judge: Judge, reused: object, kl: float, verdict: Verdict
) -> None:
    outcome = judge("kl-nonzero-at-start", "grpo", kl_per_token=f"{kl} 0.01x9", config={"num_iterations": reused})
    assert outcome.verdict is verdict


def test_a_run_that_goes_on_from_another_is_not_judged(make_run: MakeRun) -> None:
    run = replace(make_run("grpo", kl_per_token="0.5x9"), parent="earlier")
    assert engine.evaluate(run, [KlNonzeroAtStart()]) == ()


def test_it_is_skipped_where_its_input_is_missing(judge: Judge) -> None:
    outcome = judge("kl-nonzero-at-start", "grpo", reward="1x9", config={"beta": 0})
    assert (outcome.verdict, outcome.enable is not None) == (Verdict.SKIPPED, True)
