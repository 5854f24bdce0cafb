"""Tests of oom."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from diagnostics.causes import ranked_causes, with_fixes
from diagnostics.model.messages import render
from diagnostics.model.outcome import Outcome, Severity, Verdict
from diagnostics.model.run import Run
from diagnostics.rules import engine
from diagnostics.rules.run.oom import Oom
from diagnostics.texts import templates

NO_ROOM = "RuntimeError: [enforce fail] DefaultCPUAllocator: can't allocate memory: you tried to allocate 8 bytes."
MakeRun = Callable[..., Run]
CUDA = "OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB."


def outcome_of_ended_run(
    make_run: MakeRun, state: str, *, error: str | None = None, console: str = ""
) -> tuple[Run, Outcome]:
    run = make_run("grpo", reward="0.5x7", config={"per_device_train_batch_size": 16, "gradient_accumulation_steps": 1})
    run = replace(run, console_tail=console, status=replace(run.status, state=state, error=error, step=7))
    (outcome,) = with_fixes(run, engine.evaluate(run, [Oom()]))
    return run, outcome


@pytest.mark.parametrize(
    "error", [CUDA, "RuntimeError: MPS backend out of memory", "MemoryError", "std::bad_alloc", NO_ROOM]
)
def test_an_error_about_memory_is_critical(make_run: MakeRun, error: str) -> None:
    run, outcome = outcome_of_ended_run(make_run, "failed", error=error)
    assert (outcome.severity, outcome.last_step) == (Severity.CRITICAL, 7)
    assert [(fix.parameter, fix.suggested) for fix in outcome.fixes] == [
        ("per_device_train_batch_size", 8),
        ("gradient_accumulation_steps", 2),
    ]
    assert [cause.cause for cause in ranked_causes(run, [outcome])] == ["memory-runs-out"]


def test_the_last_lines_of_a_console_tell_it_too(make_run: MakeRun) -> None:
    _, outcome = outcome_of_ended_run(make_run, "died", console=f"step 6\nTraceback …\n{CUDA}\n")
    assert render(outcome.message, templates()) == f"The run ended after step 7: {CUDA}"


def test_a_run_without_a_step_ended_before_it(make_run: MakeRun) -> None:
    run = make_run("grpo")
    run = replace(run, status=replace(run.status, state="failed", error=CUDA))
    (outcome,) = engine.evaluate(run, [Oom()])
    assert render(outcome.message, templates()) == f"The run ended before its first step: {CUDA}"


def test_another_error_is_quiet(make_run: MakeRun) -> None:
    _, outcome = outcome_of_ended_run(
        make_run, "failed", error="RewardError: the function exact_match takes no argument prompts"
    )
    assert outcome.verdict is Verdict.QUIET


def test_a_guess_about_memory_is_quiet(make_run: MakeRun) -> None:
    _, outcome = outcome_of_ended_run(
        make_run, "failed", error="another process ended: killed, or the machine ran out of memory"
    )
    assert outcome.verdict is Verdict.QUIET


def test_a_run_that_goes_on_or_finished_has_memory_enough(make_run: MakeRun) -> None:
    assert outcome_of_ended_run(make_run, "finished", console=CUDA)[1].verdict is Verdict.QUIET
    assert outcome_of_ended_run(make_run, "running", console=CUDA)[1].verdict is Verdict.QUIET


def test_it_is_skipped_where_nobody_says_how_the_run_ended(make_run: MakeRun) -> None:
    _, outcome = outcome_of_ended_run(make_run, "unknown")
    assert (outcome.verdict, outcome.enable is not None) == (Verdict.SKIPPED, True)
