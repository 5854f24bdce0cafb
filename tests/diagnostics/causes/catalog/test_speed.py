"""Tests of the causes of slowness: which side holds a run up, and what is said of a run that is only slow."""

from collections.abc import Callable

from diagnostics.judge import judge
from diagnostics.model.cause import Cause
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run

MakeRun = Callable[..., Run]
RUN_1 = {
    "step_time": "22.9x40",
    "forward_backward_time": "21.9x40",
    "rollout_wait_time": "0.02x40",
    "backpressure_time": "15x40",
    "samples_per_row": "1x40",
    "model_flops_utilization": "0.039x40",
}


def causes(run: Run) -> list[Cause]:
    return list(judge(run, {}).causes)


def test_an_asynchronous_run_that_waits_for_its_idle_trainer_is_a_warning(make_run: MakeRun) -> None:
    (cause,) = causes(make_run("grpo", **RUN_1))
    assert (cause.cause, cause.severity) == ("trainer-bound", Severity.WARNING)
    assert set(cause.outcomes) == {"trainer-bound", "microbatches-tiny"}
    assert [fix.why.template for fix in cause.fixes][:2] == ["remedy.packed-rows", "remedy.no-checkpointing"]


def test_a_run_that_is_only_slow_is_a_note(make_run: MakeRun) -> None:
    diagnosis = judge(make_run("grpo", step_time="30x40", generation_time="24x40"), {})
    assert [(cause.cause, cause.severity) for cause in diagnosis.causes] == [("generation-bound", Severity.INFO)]
    assert [outcome.is_alarm for outcome in diagnosis.fired] == [False]


def test_a_slow_run_that_is_sick_as_well_is_told_for_its_sickness_first(make_run: MakeRun) -> None:
    sick = make_run("grpo", **RUN_1, truncated_fraction="0.97x40", reward="0.5x40")
    first, *_ = causes(sick)
    assert first.cause not in ("trainer-bound", "generation-bound")
    assert "trainer-bound" in {cause.cause for cause in causes(sick)}


def test_a_slow_grader_supports_generation_that_holds_the_run_up(make_run: MakeRun) -> None:
    run = make_run("grpo", step_time="30x40", rollout_wait_time="18x40", reward_time="20x40")
    (cause,) = causes(run)
    assert (cause.cause, set(cause.outcomes)) == ("generation-bound", {"generation-bound", "grader-slow"})
