"""What a sick run cost after the onset of its main finding."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from diagnostics.api import diagnose, open_run
from diagnostics.cost.after_onset import cost_after_onset
from diagnostics.model.diagnosis import Diagnosis
from diagnostics.model.finding import Finding
from diagnostics.model.messages import Message
from diagnostics.model.outcome import Outcome, Severity, Verdict
from diagnostics.model.run import Run
from diagnostics.producers.setting_lookup import settings_of_run
from diagnostics.runlog import RunLog

SECONDS = 60.0


def finding(first: int, last: int, *, still: bool = False, severity: Severity = Severity.CRITICAL) -> Finding:
    outcome = Outcome("RV101", "a-rule", Verdict.FIRED, Message("x"), severity=severity)
    return Finding("it", severity, Message("x"), first, last, still, (outcome,), (), ())


@pytest.fixture
def minutes(make_run) -> Run:
    """A run of 100 steps, each of which took a minute."""
    run = make_run("grpo", reward="0.5x100")
    times = 1_700_000_000.0 + SECONDS * np.arange(100)
    return replace(run, series={"reward": replace(run.series["reward"], times=times)})


@pytest.mark.parametrize(
    ("found", "steps"),
    [
        (finding(12, 90, still=True), 88),  # up to the last step of the run, where the rule's last point is earlier
        (finding(12, 52), 40),  # it healed: what followed is not lost
        (finding(1, 100, still=True), 99),  # from the start: all but the step that showed it
        (finding(99, 100, still=True), 1),
    ],
)
def test_it_counts_from_the_onset_for_as_long_as_the_finding_held(minutes: Run, found: Finding, steps: int) -> None:
    cost = cost_after_onset(minutes, [found])
    assert cost is not None
    assert (cost.steps, cost.time and cost.time.seconds) == (steps, steps * SECONDS)


@pytest.mark.parametrize("found", [(), (finding(100, 100, still=True),), (finding(7, 7),)])
def test_a_run_that_is_not_sick_or_ended_at_the_onset_cost_nothing(minutes: Run, found: tuple[Finding, ...]) -> None:
    assert cost_after_onset(minutes, found) is None


def test_a_note_is_no_sickness(minutes: Run) -> None:
    assert cost_after_onset(minutes, [finding(12, 90, severity=Severity.INFO)]) is None
    assert cost_after_onset(minutes, [finding(12, 90, severity=Severity.WARNING)]) is not None


def test_of_several_findings_the_main_one_counts(minutes: Run) -> None:
    cost = cost_after_onset(minutes, [finding(50, 100, still=True), finding(2, 100, still=True)])
    assert cost is not None
    assert (cost.first_step, cost.steps) == (50, 50)


def test_gpu_hours_are_hours_times_gpus(minutes: Run) -> None:
    config = {"trainer.n_gpus_per_node": 8, "trainer.nnodes": 2}
    from_verl = replace(minutes, settings=settings_of_run("verl", "grpo", config))
    cost = cost_after_onset(from_verl, [finding(10, 100, still=True)])
    assert cost is not None
    assert (cost.hours, cost.gpus, cost.gpu_hours) == (1.5, 16, 24.0)


def test_the_cost_of_a_run_on_a_cpu_is_hours_alone(minutes: Run) -> None:
    cost = cost_after_onset(replace(minutes, device="cpu"), [finding(10, 100, still=True)])
    assert cost is not None
    assert (cost.hours, cost.gpus, cost.gpu_hours, cost.device_hours) == (1.5, 0, None, 1.5)


def test_a_diagnosis_tells_the_cost_of_the_run_that_it_judges(broken_critic: Diagnosis) -> None:
    cost = broken_critic.cost
    assert cost is not None
    assert (cost.first_step, cost.last_step, cost.steps, cost.is_still) == (11, 20, 9, True)


def test_a_healthy_run_has_no_cost(tmp_path: Path) -> None:
    with RunLog(tmp_path, algorithm="ppo", total=20) as log:
        for step in range(1, 21):
            log.log(step, {"objective/scores": step / 20, "loss/value_avg": 0.1})
    diagnosis = diagnose(open_run(tmp_path))
    assert (diagnosis.verdict, diagnosis.cost) == ("no-problem-found", None)
