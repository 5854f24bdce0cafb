"""Tests of run-stalled."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from diagnostics.model.messages import render
from diagnostics.model.outcome import Outcome, Severity, Verdict
from diagnostics.model.run import Run
from diagnostics.rules import engine
from diagnostics.rules.run.run_stalled import RunStalled
from diagnostics.texts import templates

MakeRun = Callable[..., Run]
STARTED = 1_000_000.0


def outcome_after_silence(make_run: MakeRun, age: float, *, seconds: float = 10.0, **status: Any) -> Outcome:
    """The outcome of a run of 20 steps of so many seconds, read `age` seconds after its last point."""
    run = make_run("grpo", reward="0.5x20", total=100)
    times = STARTED + seconds * np.arange(20)
    series = {name: replace(item, times=times) for name, item in run.series.items()}
    status = {"state": "running", "step": 20, **status}
    run = replace(run, series=series, status=replace(run.status, **status), observed_at=float(times[-1]) + age)
    (outcome,) = engine.evaluate(run, [RunStalled()])
    return outcome


def test_half_an_hour_without_a_step_is_critical(make_run: MakeRun) -> None:
    outcome = outcome_after_silence(make_run, 1800)
    assert (outcome.severity, outcome.first_step, outcome.limit) == (Severity.CRITICAL, 20, 1800.0)
    assert render(outcome.message, templates()) == (
        "The last step logged is 20, 30 minutes before the run was read; steps take 10 s, and the process still lives."
    )
    assert outcome_after_silence(make_run, 1799).verdict is Verdict.QUIET


def test_slow_steps_get_ten_times_their_time(make_run: MakeRun) -> None:
    assert outcome_after_silence(make_run, 5999, seconds=600).verdict is Verdict.QUIET
    assert outcome_after_silence(make_run, 6000, seconds=600).verdict is Verdict.FIRED


def test_a_log_that_fell_silent_short_of_its_plan_is_a_warning_for_a_day(make_run: MakeRun) -> None:
    assert outcome_after_silence(make_run, 7200, state="silent").severity is Severity.WARNING
    assert outcome_after_silence(make_run, 86400, state="silent").verdict is Verdict.QUIET
    assert outcome_after_silence(make_run, 7200, state="silent", step=100).verdict is Verdict.QUIET
    assert outcome_after_silence(make_run, 7200, state="silent", total=None).verdict is Verdict.QUIET


@pytest.mark.parametrize("state", ["finished", "stopped", "failed", "died", "queued"])
def test_what_has_ended_cannot_hang(make_run: MakeRun, state: str) -> None:
    run = make_run("grpo", reward="0.5x20")
    assert engine.evaluate(replace(run, status=replace(run.status, state=state)), [RunStalled()]) == ()


def test_it_is_skipped_where_points_have_no_times(make_run: MakeRun) -> None:
    run = make_run("grpo", reward="0.5x20")
    (outcome,) = engine.evaluate(replace(run, status=replace(run.status, state="running")), [RunStalled()])
    assert (outcome.verdict, outcome.enable is not None) == (Verdict.SKIPPED, True)
