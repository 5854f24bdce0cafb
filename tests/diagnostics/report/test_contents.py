"""Tests of what a report holds and in which order."""

from dataclasses import replace

import pytest

from diagnostics.model.diagnosis import Diagnosis
from diagnostics.model.messages import Message
from diagnostics.model.outcome import Fix, Severity
from diagnostics.model.status import Status
from diagnostics.report.contents import advice, age, data_line, findings, number, run_line, verdict_sentence
from diagnostics.report.report import Report


def test_a_cause_is_told_once_and_its_outcomes_stand_under_it(broken_critic: Diagnosis) -> None:
    told = findings(broken_critic)
    rules = [outcome.rule for finding in told for outcome in finding.outcomes]
    assert told[0].sentence == "The numbers broke down: something became NaN or infinite."
    assert "nonfinite-metric" in rules
    assert len(rules) == len(set(rules))


def test_an_outcome_that_no_cause_explains_is_told_by_its_headline(broken_critic: Diagnosis) -> None:
    (finding,) = [
        item for item in findings(replace(broken_critic, causes=())) if item.outcomes[0].rule == "nonfinite-metric"
    ]
    assert (finding.severity, finding.first_step, finding.still) == (Severity.CRITICAL, 11, True)
    assert finding.steps == "since step 11, still so"


def test_findings_come_worst_first(broken_critic: Diagnosis) -> None:
    ranks = [finding.severity.rank for finding in findings(broken_critic)]
    assert ranks == sorted(ranks, reverse=True)


def test_the_worst_of_a_report_is_that_of_all_its_runs(broken_critic: Diagnosis) -> None:
    assert Report(diagnoses=(broken_critic,)).worst is Severity.CRITICAL
    assert Report().worst is None


def test_a_run_that_can_hardly_be_checked_is_not_called_healthy(diagnosed) -> None:
    diagnosis = diagnosed({"some/tag": 1.0}, {"some/tag": 2.0})
    assert diagnosis.verdict == "not-judged"
    assert verdict_sentence(diagnosis).startswith("Only ")


def test_a_run_that_died_says_when_it_last_lived(broken_critic: Diagnosis) -> None:
    run = broken_critic.run
    status = replace(run.status, state="died", step=20, total=50, last_written=run.observed_at - 720)
    died = replace(broken_critic, run=replace(run, status=status))
    assert run_line(died) == "ppo · rlvitals 0.1.0 · died, last written 12 min ago · step 20 of 50"


def test_the_data_line_leaves_out_what_is_zero(broken_critic: Diagnosis) -> None:
    assert data_line(broken_critic) == "40 points · 10 NaN"


@pytest.mark.parametrize(
    ("current", "suggested", "line"),
    [
        (0.005, 0.0005, "learning_rate 0.005 → 0.0005"),
        (5e-06, 1e-06, "learning_rate 5e-06 → 1e-06"),
        (None, 1e-05, "learning_rate = 1e-05"),
        (None, None, "learning_rate"),
    ],
)
def test_advice_is_written_as_it_is_typed(current: float | None, suggested: float | None, line: str) -> None:
    why = Message("remedy.lower-learning-rate")
    assert advice(Fix("learning_rate", current, suggested, why, "")).partition(": ")[0] == line


@pytest.mark.parametrize(
    ("seconds", "words"), [(-1, "0 s"), (40, "40 s"), (720, "12 min"), (10800, "3 h"), (432000, "5 days")]
)
def test_an_age_is_said_as_a_person_says_it(seconds: float, words: str) -> None:
    assert age(seconds) == words


@pytest.mark.parametrize(
    ("value", "unit", "words"), [(0.95, "fraction", "95 %"), (2.0, "ratio", "2"), (0.2, "nats/token", "0.2 nats/token")]
)
def test_a_number_carries_its_unit(value: float, unit: str, words: str) -> None:
    assert number(value, unit) == words


def test_a_run_without_a_metric_is_not_said_to_fail_checks(diagnosed) -> None:
    ended = diagnosed({})
    running = replace(ended, run=replace(ended.run, status=Status("running")))
    assert verdict_sentence(ended) == "Nothing to judge: no metric was logged."
    assert verdict_sentence(running) == "Nothing to judge: no metric is logged yet."
