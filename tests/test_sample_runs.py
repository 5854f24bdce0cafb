"""Tests that each sample run yields exactly the findings in its expected.json."""

import json
from pathlib import Path

import pytest

from diagnostics.api import diagnose, find_runs, open_run
from diagnostics.model.outcome import Severity, Verdict

FOLDER = Path(__file__).parents[1] / "sample_runs"
SAMPLES = sorted(path.parent for path in FOLDER.glob("*/expected.json"))
WITHIN = 10_000_000  # bytes, all of them together

NEEDED = {"kl-negative", "ratio-far-from-one", "nonfinite-metric", "truncation-high"}


@pytest.mark.parametrize("folder", SAMPLES, ids=lambda folder: folder.name)
def test_a_sample_run_gives_exactly_its_expected_findings(folder: Path) -> None:
    expected = json.loads((folder / "expected.json").read_text())
    diagnosis = diagnose(open_run(folder))
    assert {outcome.rule: str(outcome.severity) for outcome in diagnosis.fired} == expected["findings"]
    assert diagnosis.verdict == expected["verdict"]


@pytest.mark.parametrize("folder", SAMPLES, ids=lambda folder: folder.name)
def test_no_rule_breaks_on_a_sample_run(folder: Path) -> None:
    outcomes = diagnose(open_run(folder)).outcomes
    assert [outcome.rule for outcome in outcomes if outcome.verdict is Verdict.BROKEN] == []


def test_both_algorithms_have_a_healthy_run_with_nothing_at_warning_or_above() -> None:
    healthy = [diagnose(open_run(folder)) for folder in SAMPLES if folder.name.startswith("healthy-")]
    assert {diagnosis.run.algorithm for diagnosis in healthy} == {"ppo", "grpo"}
    assert [o.rule for d in healthy for o in d.fired if o.severity is not Severity.INFO] == []


def test_every_condition_of_the_mission_has_its_real_sick_run() -> None:
    expected = [json.loads((folder / "expected.json").read_text())["findings"] for folder in SAMPLES]
    assert NEEDED - {rule for findings in expected for rule in findings} == set()


def test_the_value_loss_itself_is_nan_in_the_run_that_shows_it() -> None:
    values = open_run(FOLDER / "value-loss-nan").series["value_loss"]
    assert list(values.steps[~values.finite]) == list(range(41, 61))


def test_the_sample_runs_are_found_and_small() -> None:
    assert {ref.path.name for ref in find_runs(FOLDER)} == {folder.name for folder in SAMPLES}
    assert sum(path.stat().st_size for path in FOLDER.rglob("*") if path.is_file()) < WITHIN
