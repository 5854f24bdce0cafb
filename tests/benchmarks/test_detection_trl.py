"""The TRL corpus is what it says: parts apart, twins alike, labels by outcome, and a page that matches its results."""

import json
import math
import random
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from benchmarks.detecting.expected import read_expected
from benchmarks.detection_trl import PAGE, PYTHONS, RANGES, RESULTS, as_page, as_ranges, judged_before
from benchmarks.trl_runs.cells import PARTS, Cell, cells, in_training_order, read_corpus
from benchmarks.trl_runs.faults import FAULTS, with_fault
from benchmarks.trl_runs.forms import FOLDERS
from benchmarks.trl_runs.judging import judged
from benchmarks.trl_runs.labels import label
from benchmarks.trl_runs.tasks.catalog import TASKS
from benchmarks.trl_runs.tasks.task import Task
from benchmarks.trl_runs.training import is_trained, read_outcome, train_missing

ALL = [cell for part in PARTS for cell in cells(part)]
HELD_OUT = 128


def test_the_parts_share_no_task_and_no_architecture() -> None:
    parts = [read_corpus()["parts"][part] for part in PARTS]
    for what in ("tasks", "architectures"):
        names = [name for part in parts for name in part[what]]
        assert len(names) == len(set(names))
    assert {task for part in parts for task in part["tasks"]} == set(TASKS)


def test_the_corpus_plans_more_than_four_hundred_runs_of_every_fault_in_both_parts() -> None:
    assert len(ALL) >= 400
    assert len({cell.name for cell in ALL}) == len(ALL)
    assert sorted(cell.name for cell in in_training_order()) == sorted(cell.name for cell in ALL)
    assert [{cell.fault for cell in cells(part)} - {None} for part in PARTS] == [set(FAULTS)] * 2
    assert sum(cell.fault is None for cell in cells("measured")) >= 150


def test_every_fault_has_its_right_answers() -> None:
    assert set(FAULTS) - set(read_expected()) == set()


def test_a_twin_differs_in_the_fault_alone() -> None:
    names = {cell.name for cell in ALL}
    for cell in (cell for cell in ALL if cell.fault):
        sick, healthy = cell.plan(), cell.twin.plan()
        assert healthy["name"] in names
        changed = {name for name in healthy if sick[name] != healthy[name]} - {"name"}
        assert changed <= {"settings", "reward", "data", "weights", "end", "room"}
        assert changed


def test_a_fault_of_a_setting_changes_nothing_else() -> None:
    settings = {"learning_rate": 1e-3, "temperature": 1.0}
    assert with_fault(None, "grpo", settings) == settings
    assert with_fault("learning-rate-too-high", "grpo", settings) == {"learning_rate": 0.1, "temperature": 1.0}
    assert with_fault("temperature-too-high", "ppo", settings) == {"learning_rate": 1e-3, "temperature": 3.0}


def test_every_run_is_logged_often_enough_to_be_judged() -> None:
    steps = read_corpus()["steps"]
    assert {25 <= cell.steps <= 400 for cell in ALL} == {True}
    assert [c.name for c in ALL if c.logging_steps > 1 and c.steps // c.logging_steps < steps["rows"]] == []
    assert {cell.form for cell in ALL} == set(FOLDERS)


@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS)
def test_a_task_pays_its_answers_and_not_its_mistakes(task: Task) -> None:
    problems = [task.draw(random.Random(seed), "usual") for seed in range(50)]
    for problem in problems:
        assert task.score(problem, problem.answer) == 1.0
        assert task.score(problem, "") == 0.0
        assert {0.0 <= reward(problem, problem.answer) <= 1.0 for reward in task.rewards.values()} == {True}
        assert task.form(problem, problem.answer) == 1.0
    assert sum(task.score(problem, problem.slip) for problem in problems) <= 0.7 * len(problems)


@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS)
def test_no_held_out_question_is_trained_on(task: Task) -> None:
    train, held_out = ({p.question for p in task.problems(split, 100, seed=1)} for split in ("train", "held-out"))
    assert train & held_out == set()
    assert task.problems("train", 5, seed=1) == task.problems("train", 5, seed=1)


def outcome(after: float, before: float = 0.4, error: str = "", is_finite: bool = True) -> Mapping[str, Any]:
    """Scores of 0 and 1 with these means."""
    scores = [[float(at < mean * HELD_OUT) for at in range(HELD_OUT)] for mean in (before, after)]
    return {"before": scores[0], "after": scores[1], "error": error, "is_finite": is_finite}


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        (outcome(0.8), ("healthy", "rose")),
        (outcome(0.97, before=0.98), ("healthy", "at its ceiling")),
        (outcome(0.42), ("aside", "did not clearly rise")),
        (outcome(0.2), ("aside", "fell with healthy settings")),
        (outcome(0.8, error="RuntimeError"), ("aside", "broke with healthy settings")),
    ],
)
def test_a_run_with_healthy_settings_is_healthy_by_its_outcome(
    run: Mapping[str, Any], expected: tuple[str, str]
) -> None:
    assert label(run, None) == expected


@pytest.mark.parametrize(
    ("run", "twin", "expected"),
    [
        (outcome(0.5), outcome(0.8), ("sick", "ended below its twin")),
        (outcome(0.75), outcome(0.8), ("aside", "a fault without clear harm")),
        (outcome(0.8), outcome(0.5), ("aside", "a fault without clear harm")),
        (outcome(0.8, is_finite=False), outcome(0.5), ("sick", "broke")),
        (outcome(0.2, is_finite=False), outcome(0.5, error="RuntimeError"), ("aside", "broke with healthy settings")),
        (outcome(0.2), outcome(0.5, error="RuntimeError"), ("aside", "its twin broke")),
    ],
)
def test_a_run_with_a_fault_is_sick_only_by_its_outcome(
    run: Mapping[str, Any], twin: Mapping[str, Any], expected: tuple[str, str]
) -> None:
    assert label(run, twin) == expected


def test_a_difference_that_the_held_out_prompts_may_have_made_is_none() -> None:
    noisy, other = outcome(0.5), outcome(0.5)
    noisy["after"][:] = [float(at % 2) for at in range(HELD_OUT)]
    other["after"][:] = [float(at % 2) for at in range(1, HELD_OUT + 1)]
    other["after"][:13] = [1.0] * 13
    assert label(noisy, other) == ("aside", "a fault without clear harm")


def test_a_run_that_the_cache_does_not_hold_keeps_its_line(tmp_path: Path) -> None:
    here, elsewhere = [json.loads(line) for line in RESULTS.read_text("utf-8").splitlines()][:2]
    file = tmp_path / "results.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in (here, elsewhere, {"name": "unplanned"})), "utf-8")
    assert judged_before([here], file) == [{**elsewhere, "judged_before": True}]


def test_the_committed_pages_are_those_of_the_committed_results() -> None:
    results = [json.loads(line) for line in RESULTS.read_text("utf-8").splitlines()]
    assert PAGE.read_text("utf-8") == as_page(results)
    assert RANGES.read_text("utf-8") == as_ranges(results)


def test_no_single_run_of_the_measured_part_is_on_the_page() -> None:
    assert "measured-" not in PAGE.read_text("utf-8")


def test_the_committed_results_name_no_place_of_a_machine() -> None:
    assert re.findall(r'(?<=[ "])/[a-zA-Z]\S*', RESULTS.read_text("utf-8")) == []


def a_short_run(algorithm: str) -> Cell:
    return min((cell for cell in ALL if cell.algorithm == algorithm and cell.fault), key=lambda cell: cell.steps)


@pytest.mark.slow
@pytest.mark.process
@pytest.mark.parametrize("algorithm", ["grpo", "ppo"])
def test_a_run_and_its_twin_are_trained_once_and_judged_in_every_form(tmp_path: Path, algorithm: str) -> None:
    cell = a_short_run(algorithm)
    python = PYTHONS[cell.producer] / "bin" / "python"
    if not python.is_file():
        pytest.skip(f"{python} is missing; make it with: make {PYTHONS[cell.producer].name}/.ready")
    pair = [cell.twin, cell]
    train_missing(tmp_path, pair, {cell.producer: str(python)}, math.inf)
    assert [is_trained(tmp_path, each) for each in pair] == [True, True]
    assert {len(read_outcome(tmp_path, each)["after"]) for each in pair} == {HELD_OUT}
    first, second = (list(judged(tmp_path, pair, processes=1)) for _ in range(2))
    assert first == second
    assert [set(result["forms"]) for result in first] == [set(FOLDERS)] * 2
    assert "unreadable" not in {found["verdict"] for result in first for found in result["forms"].values()}
