"""Tests of memory-climbs."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from diagnostics.causes import ranked_causes
from diagnostics.detectors.arrays import Values
from diagnostics.model.messages import render
from diagnostics.model.outcome import Severity, Verdict
from diagnostics.model.run import Run
from diagnostics.rules import engine
from diagnostics.rules.run.memory_climbs import MemoryClimbs
from diagnostics.rules.run.oom import Oom
from diagnostics.texts import templates
from tests.diagnostics.last_words import printed
from tests.diagnostics.last_words.test_memory_sizes import ASLEEP
from tests.diagnostics.rules.conftest import Judge

MakeRun = Callable[..., Run]
POINTS = np.arange(100)
LEAK = 20 + 0.5 * POINTS + np.random.default_rng(3).normal(0, 0.3, 100)
KNOWN = {"node": 100.0}  # the line reaches it at step 161


def test_a_leak_that_reaches_a_known_limit_before_the_planned_end_is_critical_with_the_step(judge: Judge) -> None:
    outcome = judge("memory-climbs", "grpo", host_memory_used=LEAK, total=400, limits=KNOWN)
    assert (outcome.severity, outcome.first_step, outcome.last_step) == (Severity.CRITICAL, 6, 100)
    assert (outcome.limit, outcome.metric) == (100.0, "host_memory_used")
    assert render(outcome.message, templates()) == (
        "Host memory grew by 0.5 GB per step from step 6 to 100, to 69.5 GB, and did not come back. At that pace it "
        "reaches 100 GB at step 161 (between 160 and 162), before the planned end at 400."
    )


@pytest.mark.parametrize(
    ("total", "severity"),
    [(163, Severity.CRITICAL), (162, Severity.WARNING), (160, Severity.WARNING), (159, Severity.INFO)],
)
def test_it_is_critical_only_where_both_ends_of_the_interval_lie_before_the_planned_end(
    judge: Judge, total: int, severity: Severity
) -> None:
    """Theil and Sen's lines through these points reach 100 GB at steps 159.5, 160.9 and 162.4."""
    noisy = 20 + 0.5 * POINTS + np.random.default_rng(3).normal(0, 0.8, 100)
    outcome = judge("memory-climbs", "grpo", host_memory_used=noisy, total=total, limits=KNOWN)
    assert outcome.severity is severity


def test_without_a_known_limit_it_is_never_critical_and_says_when_it_doubles(judge: Judge) -> None:
    outcome = judge("memory-climbs", "grpo", process_memory=LEAK, total=1000)
    assert (outcome.severity, outcome.limit) == (Severity.WARNING, None)
    assert render(outcome.message, templates()).endswith(
        "At that pace it will have doubled at step 239; how much there is, the log does not say."
    )


def test_a_small_gain_is_a_note_and_a_smaller_one_is_none(judge: Judge) -> None:
    assert judge("memory-climbs", "grpo", process_memory=LEAK + 200).severity is Severity.INFO
    assert judge("memory-climbs", "grpo", process_memory=LEAK + 2000).verdict is Verdict.QUIET


def test_a_leak_that_began_late_is_found_in_the_latest_half(judge: Judge) -> None:
    late = np.concatenate([np.full(100, 20.0) + np.random.default_rng(4).normal(0, 0.1, 100), LEAK])
    outcome = judge("memory-climbs", "grpo", gpu_memory_reserved=late)
    assert (outcome.severity, outcome.first_step) == (Severity.WARNING, 104)


@pytest.mark.parametrize(
    "values",
    [
        20.0 + POINTS % 10,
        20.0 + POINTS % 60,
        np.where(POINTS < 8, 5.0, 60.0),
        np.where(POINTS < 50, 20.0, 60.0),
        np.where(POINTS % 20 == 19, 70.0, 20.0),
        70 - 50 * np.exp(-POINTS / 6.0),
        np.full(100, 40.0),
        70.0 - 0.5 * POINTS,
    ],
    ids=["sawtooth", "long sawtooth", "start", "jump", "evaluations", "cache", "flat", "falling"],
)
def test_what_does_not_climb_is_quiet(judge: Judge, values: Values) -> None:
    wavering = values + np.random.default_rng(5).normal(0, 0.2, 100)
    outcome = judge("memory-climbs", "grpo", gpu_memory_allocated=wavering, total=400, limits={"gpu": 80.0})
    assert outcome.verdict is Verdict.QUIET


def test_it_is_skipped_where_there_are_too_few_points(judge: Judge) -> None:
    assert judge("memory-climbs", "grpo", process_memory=LEAK[:34]).verdict is Verdict.SKIPPED
    assert judge("memory-climbs", "grpo", process_memory=LEAK[:35]).verdict is Verdict.FIRED


def test_it_does_not_apply_where_no_memory_is_logged(make_run: MakeRun) -> None:
    assert engine.evaluate(make_run("grpo", reward="0.5x60"), [MemoryClimbs()]) == ()


def test_the_limit_is_read_from_what_ended_the_run(make_run: MakeRun) -> None:
    run = make_run("grpo", host_memory_used=LEAK * 12, total=400)
    run = replace(run, console_tail=printed.RAY, status=replace(run.status, state="failed", step=100))
    climbs, oom = engine.evaluate(run, [Oom(), MemoryClimbs()])[::-1]
    assert (climbs.severity, climbs.limit) == (Severity.CRITICAL, 937.50 * 0.95)
    (cause,) = ranked_causes(run, [climbs, oom])
    assert (cause.cause, render(cause.summary, templates())) == (
        "memory-runs-out",
        "Memory grew from step to step until it ran out.",
    )


def test_a_leak_alone_is_the_cause_that_memory_runs_out(make_run: MakeRun) -> None:
    run = make_run("grpo", host_memory_used=LEAK, total=400)
    (cause,) = ranked_causes(run, engine.evaluate(run, [MemoryClimbs()]))
    assert (cause.cause, render(cause.summary, templates())) == (
        "memory-runs-out",
        "Memory grows from step to step, and does not come back.",
    )
    quiet = engine.evaluate(make_run("grpo", process_memory=LEAK + 200), [MemoryClimbs()])
    assert ranked_causes(run, quiet) == ()


def asleep(make_run: MakeRun, *kept: str) -> Run:
    return replace(make_run("grpo", reward="0.5x9"), console_tail="\n".join(ASLEEP.format(size) for size in kept))


def test_what_vllm_keeps_asleep_counts_where_no_memory_is_logged(make_run: MakeRun) -> None:
    (outcome,) = engine.evaluate(asleep(make_run, "4.11", "11.57", "25.0", "24.1"), [MemoryClimbs()])
    assert outcome.severity is Severity.WARNING
    assert render(outcome.message, templates()) == (
        "vLLM held ever more memory while it slept: 4.11 GiB first, 24.1 GiB after 4 times."
    )
    (steady,) = engine.evaluate(asleep(make_run, "4.11", "4.11", "4.2", "4.11"), [MemoryClimbs()])
    assert steady.verdict is Verdict.SKIPPED
