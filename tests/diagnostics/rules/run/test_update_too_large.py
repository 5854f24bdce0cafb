"""Tests of update-too-large."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from diagnostics.api import open_run
from diagnostics.model.outcome import Outcome, Severity, Verdict
from diagnostics.model.run import Run
from diagnostics.rules import evaluate

MakeRun = Callable[..., Run]
Judge = Callable[..., Outcome]
SAMPLE_RUNS = Path(__file__).parents[4] / "sample_runs"


@pytest.mark.parametrize("stretch", ["0.03x10", "0.1x3"])
def test_ten_points_at_the_limit_and_three_at_ten_times_the_target_are_a_warning(judge: Judge, stretch: str) -> None:
    outcome = judge("update-too-large", "ppo", approx_kl=f"0.005x10 {stretch} 0.005x9")
    last = 10 + int(stretch.partition("x")[2])
    assert (Severity.WARNING, 11, last) == (outcome.severity, outcome.first_step, outcome.last_step)


@pytest.mark.parametrize(("size", "severity"), [("0.1x3", Severity.CRITICAL), ("0.0999x19", Severity.WARNING)])
def test_ten_times_the_target_is_critical_where_harm_is_shown(
    judge_harmed: Judge, size: str, severity: Severity
) -> None:
    assert judge_harmed("update-too-large", "ppo", approx_kl=f"0.005x10 {size} 0.005x9").severity is severity


def test_nine_points_or_a_little_less_are_quiet(judge: Judge) -> None:
    assert judge("update-too-large", "ppo", approx_kl="0.005x10 0.03x9 0.005x9").verdict is Verdict.QUIET
    assert judge("update-too-large", "ppo", approx_kl="0.0299x30").verdict is Verdict.QUIET


def test_what_wavers_about_the_limit_is_quiet_and_what_lies_above_it_is_not(judge: Judge) -> None:
    wavering = " ".join(["0.02 0.03 0.045 0.035 0.022"] * 5)
    assert judge("update-too-large", "ppo", approx_kl=wavering).verdict is Verdict.QUIET
    assert judge("update-too-large", "ppo", approx_kl="0.06 0.055 0.065 0.07 0.05 " * 5).severity is Severity.WARNING


@pytest.mark.parametrize(("times", "verdict"), [(1.05, Verdict.QUIET), (1.1, Verdict.FIRED)])
def test_ten_points_prove_it_by_three_standard_errors_of_their_mean_not_by_two(
    judge: Judge, times: float, verdict: Verdict
) -> None:
    errors = {1.05: 2.6, 1.1: 3.4}[times]
    sizes = times * np.array([0.036, 0.03, 0.045, 0.031, 0.027] * 2)
    above = np.log(sizes / 0.03)
    assert above.mean() / (above.std(ddof=1) / np.sqrt(len(sizes))) == pytest.approx(errors, abs=0.05)
    logged = " ".join(map(str, np.tile(sizes, 3)))
    assert judge("update-too-large", "ppo", approx_kl=logged).verdict is verdict


def test_two_points_do_not(judge: Judge) -> None:
    assert judge("update-too-large", "ppo", approx_kl="0.005x10 0.1x2 0.005x6").verdict is Verdict.QUIET


def test_a_spike_is_quiet(judge: Judge) -> None:
    assert judge("update-too-large", "ppo", approx_kl="0.005x10 5 0.005x10").verdict is Verdict.QUIET


def test_large_first_steps_are_quiet(judge: Judge) -> None:
    assert judge("update-too-large", "ppo", approx_kl="0.2x5 0.005x10").verdict is Verdict.QUIET


def test_seven_points_are_too_few(judge: Judge) -> None:
    outcome = judge("update-too-large", "ppo", approx_kl="0.2x7")
    assert (outcome.verdict, outcome.message.values["needed"]) == (Verdict.SKIPPED, 8)


def without_squares(name: str) -> Run:
    """A sample run as if its trainer had logged the mean of the log-ratio only."""
    run = open_run(SAMPLE_RUNS / name)
    return replace(run, series={key: series for key, series in run.series.items() if key != "approx_kl"})


@pytest.mark.parametrize(
    ("name", "severity"),
    [("ratio-far-from-one", Severity.CRITICAL), ("healthy-ppo", None), ("value-loss-nan", None), ("negative-kl", None)],
)
def test_the_mean_of_the_log_ratio_shows_the_gross_cases(name: str, severity: Severity | None) -> None:
    outcomes = {outcome.rule: outcome for outcome in evaluate(without_squares(name))}
    outcome = outcomes["update-too-large"]
    assert (outcome.severity, outcome.verdict is Verdict.QUIET) == (severity, severity is None)


def test_it_is_skipped_where_its_input_is_missing(judge: Judge) -> None:
    assert judge("update-too-large", "ppo", score="1x20").verdict is Verdict.SKIPPED
