"""Tests of run-stalled."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from diagnostics.causes import ranked_causes
from diagnostics.model.messages import render
from diagnostics.model.outcome import Outcome, Severity, Verdict
from diagnostics.model.run import Run
from diagnostics.rules import engine
from diagnostics.rules.run.run_stalled import RunStalled
from diagnostics.texts import templates
from tests.diagnostics.last_words import printed

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


def test_a_log_of_long_ago_in_a_fresh_file_is_a_copy_unless_its_process_is_known(make_run: MakeRun) -> None:
    assert outcome_after_silence(make_run, 86399).severity is Severity.CRITICAL
    assert outcome_after_silence(make_run, 86400).verdict is Verdict.QUIET
    assert outcome_after_silence(make_run, 86400, is_ours=True).severity is Severity.CRITICAL
    assert outcome_after_silence(make_run, 86400, suspended=7).severity is Severity.CRITICAL


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


def said(make_run: MakeRun, *lines: str, **status: Any) -> str:
    """The message about a run that hangs for two hours after it printed these lines."""
    run = make_run("grpo", reward="0.5x20", total=100)
    times = STARTED + 10.0 * np.arange(20)
    now = float(times[-1]) + 7200
    ages = {name: now - status.pop(name) for name in ("last_printed", "last_sampled") if name in status}
    known = replace(run.status, **{"state": "running", "step": 20, **status, **ages})
    series = {name: replace(item, times=times) for name, item in run.series.items()}
    run = replace(run, series=series, status=known, console_tail="\n".join(lines), observed_at=now)
    (outcome,) = engine.evaluate(run, [RunStalled()])
    return render(outcome.message, templates())


def test_the_age_of_the_last_sign_of_each_kind_and_what_its_process_does_are_told(make_run: MakeRun) -> None:
    assert said(make_run, last_printed=300.0, last_sampled=7200.0, activity="running") == (
        "The last step logged is 20, 120 minutes before the run was read; steps take 10 s, and the process still "
        "lives; its main thread computes; it last printed 5, and last wrote samples 120 minutes before it was read."
    )
    assert said(make_run, last_printed=60.0, activity="disk-sleep").endswith(
        "its main thread waits for a disk; it last printed 1 minutes before it was read."
    )
    assert said(make_run, last_sampled=60.0, activity="zombie").endswith(
        "the process still lives; it last wrote samples 1 minutes before it was read."
    )


def test_a_watchdog_beside_a_grader_is_told_as_the_one_that_waits(make_run: MakeRun) -> None:
    assert said(make_run, printed.GRADER_STACK, printed.NCCL).partition("still lives. ")[2] == (
        "Its last lines say why: a stack that it printed stands in sympy_expr_eq (math_verify/grader.py). It printed: "
        '(main_task pid=5323) File "/usr/local/lib/python3.10/dist-packages/math_verify/grader.py", line 582, in '
        "sympy_expr_eq; NCCL's watchdog fired as well (rank 2 waited 1800 s in BROADCAST for the other processes): it "
        "tells who waited, not for what."
    )


def test_a_hang_in_a_grader_is_the_form_of_its_cause(make_run: MakeRun) -> None:
    run = make_run("grpo", reward="0.5x20", total=100)
    series = {name: replace(item, times=STARTED + 10.0 * np.arange(20)) for name, item in run.series.items()}
    status = replace(run.status, state="running", step=20)
    told = {}
    for lines in (printed.GRADER_STACK, printed.NCCL, ""):
        hung = replace(run, series=series, status=status, console_tail=lines, observed_at=STARTED + 9000)
        (cause,) = ranked_causes(hung, engine.evaluate(hung, [RunStalled()]))
        told[lines] = render(cause.summary, templates())
    assert list(told.values()) == [
        "The training hangs: a reward function does not come back.",
        "The training hangs: processes wait for one another.",
        "The training hangs.",
    ]


def test_a_console_without_times_that_fell_silent_after_a_watchdog_hangs(make_run: MakeRun) -> None:
    run = make_run("grpo", reward="0.5x20")
    for age, lines, verdict in (
        (1800.0, printed.NCCL, Verdict.FIRED),
        (1799.0, printed.NCCL, Verdict.SKIPPED),
        (86400.0, printed.NCCL, Verdict.SKIPPED),
        (1800.0, "step 20", Verdict.SKIPPED),
    ):
        status = replace(run.status, state="silent", last_printed=STARTED)
        hung = replace(run, status=status, console_tail=lines, observed_at=STARTED + age)
        (outcome,) = engine.evaluate(hung, [RunStalled()])
        assert outcome.verdict is verdict
