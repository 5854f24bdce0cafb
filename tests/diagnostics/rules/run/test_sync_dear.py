"""Tests of sync-dear."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from diagnostics.model.outcome import Severity, Verdict
from diagnostics.model.series import Series
from diagnostics.rules import evaluate


@pytest.mark.parametrize(("seconds", "severity"), [(1.0, Severity.INFO), (2.5, Severity.WARNING)])
def test_a_tenth_of_the_time_is_a_note_and_a_quarter_a_warning(
    judge: Callable, seconds: float, severity: Severity
) -> None:
    found = judge("sync-dear", "grpo", step_time="10x20", weight_sync_time=f"{seconds}x20")
    assert (found.verdict, found.severity) == (Verdict.FIRED, severity)


def test_a_little_less_is_one_level_milder(judge: Callable) -> None:
    assert judge("sync-dear", "grpo", step_time="10x20", weight_sync_time="0.99x20").verdict is Verdict.QUIET
    assert judge("sync-dear", "grpo", step_time="10x20", weight_sync_time="2.4x20").severity is Severity.INFO


def test_a_sync_every_fourth_step_counts_against_four_steps(make_run: Callable) -> None:
    """The published run: 7.6 s every four steps of 5.2 s."""
    run = make_run("grpo", step_time="5.2x80")
    every = np.arange(4, 81, 4, dtype=np.int64)
    for seconds, verdict in ((7.6, "fired"), (2.0, "quiet")):
        sync = Series("weight_sync_time", "perf/weight_sync_s", every, np.full(len(every), seconds))
        outcomes = evaluate(replace(run, series={**run.series, "weight_sync_time": sync}))
        (found,) = (outcome for outcome in outcomes if outcome.rule == "sync-dear")
        assert found.verdict == verdict


def test_one_slow_sync_is_left_alone(judge: Callable) -> None:
    found = judge("sync-dear", "grpo", step_time="10x20", weight_sync_time="0.1x9 9x1 0.1x10")
    assert found.verdict is Verdict.QUIET


def test_without_the_time_of_steps_it_is_skipped(judge: Callable) -> None:
    assert judge("sync-dear", "grpo", weight_sync_time="9x20").verdict is Verdict.SKIPPED
