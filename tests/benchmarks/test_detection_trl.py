"""The TRL corpus is what it says: parts apart, twins alike, labels by outcome, and a page that matches its results."""

import json
import math
import os
import random
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from benchmarks.detecting.expected import PEERS, read_expected
from benchmarks.detecting.report import peer_table
from benchmarks.detection_trl import (
    PAGE,
    PYTHONS,
    RANGES,
    RECORDS,
    RESULTS,
    as_page,
    as_ranges,
    as_records,
    judged_before,
)
from benchmarks.trl_runs.cells import PARTS, Cell, cells, in_training_order, read_corpus
from benchmarks.trl_runs.faults import FAULTS, with_fault
from benchmarks.trl_runs.forms import FOLDERS, forms_of
from benchmarks.trl_runs.judging import judged, judging_version
from benchmarks.trl_runs.labels import label
from benchmarks.trl_runs.peers import FOLDER, ROWS_FILE, write_rows
from benchmarks.trl_runs.ranges import ranges_page
from benchmarks.trl_runs.report import PRODUCERS, part_page, without_speed
from benchmarks.trl_runs.tasks.catalog import TASKS
from benchmarks.trl_runs.tasks.task import Task
from benchmarks.trl_runs.track_record import calls, records, reliability_table
from benchmarks.trl_runs.training import OUTCOME_FILE, is_trained, read_outcome, run_folder, train_missing
from benchmarks.trl_runs.unseen import leaves_no_sign, read_unseen, unseen_table
from diagnostics.causes.track_record import TrackRecord
from diagnostics.rules import CATALOG

ALL = [cell for part in PARTS for cell in cells(part)]
HELD_OUT = 128


def test_the_parts_share_no_task_and_no_architecture() -> None:
    for what in ("task", "architecture"):
        measured, tune = ({getattr(cell, what) for cell in cells(part)} for part in PARTS)
        assert measured & tune == set()
    assert {cell.task for cell in ALL} == set(TASKS)


def test_later_draws_have_numbers_of_their_own_and_are_trained_first() -> None:
    draws = [cell.base // 1000 for cell in in_training_order() if cell.part == "measured"]
    assert len({*draws}) > 1
    assert draws == sorted(draws, reverse=True)
    assert "bits" not in {cell.task for cell in cells("measured") if cell.base < 11_000}


def test_the_corpus_plans_more_than_four_hundred_runs_of_every_fault_in_both_parts() -> None:
    assert len(ALL) >= 400
    assert len({cell.name for cell in ALL}) == len(ALL)
    assert sorted(cell.name for cell in in_training_order()) == sorted(cell.name for cell in ALL)
    assert [{cell.fault for cell in cells(part)} - {None} for part in PARTS] == [set(FAULTS)] * 2
    assert sum(cell.fault is None for cell in cells("measured")) >= 150


def test_every_fault_has_its_right_answers() -> None:
    assert set(FAULTS) - set(read_expected()) == set()


def test_what_no_log_shows_is_told_of_known_faults_and_of_each_once() -> None:
    faults = [row.fault for row in read_unseen()]
    assert (len(set(faults)), set(faults) - set(FAULTS)) == (len(faults), set())
    assert {f"`{fault}`" in unseen_table() for fault in faults} == {True}


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
    assert [cell.name for cell in ALL if cell.form not in forms_of(cell)] == []


def test_the_old_api_has_runs_and_numbers_of_its_own_in_both_parts() -> None:
    for part in PARTS:
        old, newer = (
            [cell for cell in cells(part) if (cell.algorithm == "ppo_step") is is_old] for is_old in (True, False)
        )
        assert {cell.producer for cell in old} == {"0.7.11"}
        assert {cell.base for cell in old} & {cell.base for cell in newer} == set()
        assert {cell.form for cell in old} == {"tensorboard", "wandb", "console"}
        assert sum(cell.fault is None for cell in old) >= 5
        assert {"kl-target-too-low", "sampling-too-hot"} <= {cell.fault for cell in old}


def test_the_old_api_samples_as_the_policy_unless_that_is_the_fault() -> None:
    unlike = {
        cell.fault for cell in ALL if cell.algorithm == "ppo_step" and cell.plan()["settings"]["temperature"] != 1.0
    }
    assert unlike == {"sampling-too-hot"}


@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS)
def test_a_task_pays_its_answers_and_not_its_mistakes(task: Task) -> None:
    problems = [task.draw(random.Random(seed), "usual") for seed in range(50)]
    for problem in problems:
        assert task.score(problem, problem.answer) == 1.0
        assert task.score(problem, "") == 0.0
        assert {0.0 <= reward(problem, problem.answer) <= 1.0 for reward in task.rewards.values()} == {True}
        assert task.form(problem, problem.answer) == 1.0
    assert sum(task.score(problem, problem.slip) for problem in problems) <= 0.7 * len(problems)


@pytest.mark.process
@pytest.mark.parametrize("name", ["replies", "helpdesk"])
def test_a_learned_reward_pays_the_same_in_every_process(name: str) -> None:
    code = (
        "from benchmarks.trl_runs.tasks.catalog import TASKS; "
        f"task = TASKS['{name}']; (reward,) = task.rewards.values(); "
        "problems = task.problems('train', 50, seed=1); "
        "print([(reward(each, each.answer), reward(each, each.slip)) for each in problems])"
    )
    paid = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(paid) == 1


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
    here, elsewhere, now = [{"name": cell.name, "judged_by": "an earlier version"} for cell in cells("measured")[:3]]
    now["judged_by"] = judging_version()
    file = tmp_path / "results.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in (here, elsewhere, now, {"name": "unplanned"})), "utf-8")
    kept = [{**elsewhere, "judged_before": True}, {**now, "judged_before": False}]
    assert judged_before([here], file) == kept


def test_the_committed_pages_are_those_of_the_committed_results() -> None:
    results = [json.loads(line) for line in RESULTS.read_text("utf-8").splitlines()]
    assert PAGE.read_text("utf-8") == as_page(results)
    assert RANGES.read_text("utf-8") == as_ranges(results)
    assert RECORDS.read_text("utf-8") == as_records(results)


def test_runs_that_an_earlier_version_judged_stand_behind_those_of_todays() -> None:
    committed = [json.loads(line) for line in RESULTS.read_text("utf-8").splitlines()]
    results = [each | {"judged_before": index % 3 == 0} for index, each in enumerate(committed)]
    before = sum(each["judged_before"] for each in results)
    page = part_page("measured", results, 9999)
    titles = [line for line in page.splitlines() if line.startswith("## ")]
    assert titles == [
        f"## The measured part: {len(results) - before} of 9999 planned runs",
        f"## The measured part, by an earlier version: {before} runs",
    ]
    of_one_version = part_page("measured", [each for each in results if each["judged_before"]], 9999)
    assert of_one_version.splitlines()[0] == f"## The measured part: {before} of 9999 planned runs"
    assert "by an earlier version: " not in of_one_version


def test_no_single_run_of_the_measured_part_is_on_the_page() -> None:
    assert "measured-" not in PAGE.read_text("utf-8")


def a_result(algorithm: str, fault: str | None, peers: Mapping[str, Mapping[str, str]]) -> dict[str, Any]:
    """A result as far as the tables of peers and of reached limits look at it."""
    cell = {"algorithm": algorithm, "fault": fault, "onset": 1, "task": "units", "producer": "1.16.0"}
    fired = {} if fault else {"kl-too-high": "info"}
    nothing: dict[str, Any] = {"episodes": [], "causes": [], "means": {}, "metrics": {}, "limits": {}}
    came_out = "sick" if fault else "healthy"
    return {"name": f"{algorithm}-{fault}", "cell": cell, "label": came_out, "peers": peers, "fired": fired, **nothing}


def test_other_monitors_are_compared_for_each_algorithm_that_has_a_sick_run() -> None:
    silent: dict[str, dict[str, str]] = {peer: {} for peer in PEERS}
    found = {**silent, "rldoctor": {"plateau": "warning"}}
    table = peer_table([a_result("rloo", "learning-rate-zero", found), a_result("grpo", None, silent)])
    assert "| | right finding | RLOO | healthy runs with a warning | with a critical |" in table
    assert "| 1.00 [0.21, 1.00] (1/1) | 1.00 [0.21, 1.00] (1/1) | 0/1 | 0/1 |" in table


def a_call(cause: str, fault: str | None, label: str = "sick", severity: str = "warning") -> dict[str, Any]:
    """A result as far as the records of causes look at it."""
    cell = {"task": "units", "algorithm": "grpo", "fault": fault}
    return {"label": label, "cell": cell, "causes": [{"cause": cause, "severity": severity}]}


def beside(rival: str, result: dict[str, Any]) -> dict[str, Any]:
    """The same with a rival named beside its first cause."""
    return {**result, "causes": [{**result["causes"][0], "rivals": [rival]}]}


def test_a_cause_is_right_where_the_fault_is_known_and_has_it() -> None:
    found = records(
        calls(
            [
                a_call("not-training", "learning-rate-zero"),
                a_call("not-training", "learning-rate-zero", label="aside"),
                beside("reward-scale", a_call("not-training", "reward-scale")),
                beside("length-bias", a_call("not-training", None, label="healthy")),
                a_call("not-training", None, label="healthy", severity="info"),  # a note warns of nothing
                a_call("not-training", None, label="aside"),  # nobody knows what is wrong
                {**a_call("", "learning-rate-zero"), "causes": []},
            ]
        )
    )
    assert found == {"not-training": TrackRecord(right=2, among=3, named=4)}


def test_what_a_call_promises_comes_from_other_tasks() -> None:
    right, wrong = a_call("not-training", "learning-rate-zero"), a_call("not-training", "reward-scale")
    elsewhere = [{**each, "cell": {**each["cell"], "task": "roman"}} for each in [wrong] * 6]
    table = reliability_table([*[right] * 4, *elsewhere])
    assert "| 0.00 to 0.50 | 4 | 0.00 | 1.00 [0.51, 1.00] (4/4) |" in table
    assert "| 0.85 to 1.00 | 6 | 1.00 | 0.00 [0.00, 0.39] (0/6) |" in table


def test_the_speed_of_a_shared_machine_is_no_alarm() -> None:
    slow = {"rule": "step-slows", "first_step": 9, "last_step": 10, "severity": "warning"}
    result = {**a_result("grpo", None, {}), "episodes": [slow], "fired": {"step-slows": "warning"}}
    assert (without_speed(result)["episodes"], without_speed(result)["fired"]) == ([], {})


def test_a_limit_that_healthy_runs_reach_is_shown_with_the_reason_that_its_rule_gives() -> None:
    page = ranges_page([a_result("grpo", None, {})])
    (rule,) = (rule for rule in CATALOG if rule.name == "kl-too-high")
    assert f"| `kl-too-high` | 1 | 0 | 0 | {rule.sections['When it is wrong']} |" in page


def test_the_committed_results_name_no_place_of_a_machine() -> None:
    assert re.findall(r'(?<=[ "])/[a-zA-Z]\S*', RESULTS.read_text("utf-8")) == []


def keep_outcome(cache: Path, cell: Cell, after: float, written_at: float) -> None:
    """A trained run with this score at the end, and no log."""
    folder = run_folder(cache, cell)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / OUTCOME_FILE).write_text(json.dumps({**outcome(after), "cpu_seconds": 1.0, "device": "CPU"}), "utf-8")
    os.utime(folder, (written_at, written_at))


@pytest.mark.process
def test_a_cached_label_does_not_outlive_the_twin_that_it_came_from(tmp_path: Path) -> None:
    cell = a_short_run("grpo")
    keep_outcome(tmp_path, cell, after=0.4, written_at=1.0)
    keep_outcome(tmp_path, cell.twin, after=0.4, written_at=1.0)
    assert [result["label"] for result in judged(tmp_path, [cell], processes=1)] == ["aside"]
    keep_outcome(tmp_path, cell.twin, after=0.9, written_at=2.0)
    assert [result["label"] for result in judged(tmp_path, [cell], processes=1)] == ["sick"]


def test_peers_get_the_rows_of_a_training_without_a_trainer(tmp_path: Path) -> None:
    cell = a_short_run("ppo_step")
    folder = run_folder(tmp_path, cell)
    folder.mkdir(parents=True)
    row = {"step": 1, "env/reward_mean": 0.5, "objective/kl": math.nan}
    (folder / ROWS_FILE).write_text(json.dumps(row) + "\n", "utf-8")
    write_rows(tmp_path, [cell])
    written = tmp_path / FOLDER / cell.name
    (event,) = map(json.loads, (written / "events.jsonl").read_text("utf-8").splitlines())
    assert (event["step"], event["metrics"]["env/reward_mean"]) == (1, 0.5)
    assert math.isnan(event["metrics"]["objective/kl"])
    assert json.loads((written / "run.json").read_text("utf-8"))["config"] == cell.plan()["settings"]


def a_short_run(algorithm: str) -> Cell:
    return min((cell for cell in ALL if cell.algorithm == algorithm and cell.fault), key=lambda cell: cell.steps)


@pytest.mark.slow
@pytest.mark.process
@pytest.mark.parametrize("algorithm", ["grpo", "ppo", "ppo_step"])
def test_a_run_and_its_twin_are_trained_once_and_judged_in_every_form(tmp_path: Path, algorithm: str) -> None:
    cell = a_short_run(algorithm)
    python = PYTHONS[cell.producer] / "bin" / "python"
    if not python.is_file():
        pytest.skip(f"{python} is missing; make it with: make {PYTHONS[cell.producer].name}/.ready")
    pair = [cell.twin, cell]
    train_missing(tmp_path, pair, {cell.producer: str(python)}, math.inf, at_once=2)
    assert [is_trained(tmp_path, each) for each in pair] == [True, True]
    assert {len(read_outcome(tmp_path, each)["after"]) for each in pair} == {HELD_OUT}
    first, second = (list(judged(tmp_path, pair, processes=1)) for _ in range(2))
    assert json.dumps(first) == json.dumps(second)  # NaN, the score of what broke, does not equal itself
    assert [set(result["forms"]) for result in first] == [set(forms_of(cell))] * 2
    assert "unreadable" not in {found["verdict"] for result in first for found in result["forms"].values()}


@pytest.mark.parametrize(
    ("fault", "algorithm", "held", "is_unseen"),
    [
        ("sign-flipped-reward", "ppo", ["settings", "samples"], True),
        ("top-k", "ppo_step", [], False),
        ("temperature-too-high", "ppo", ["samples"], True),
        ("temperature-too-high", "ppo", ["settings"], False),
        ("prompts-lost-their-question", "grpo", ["settings"], True),
        ("prompts-lost-their-question", "grpo", ["samples"], False),
        ("reward-scale", "ppo", [], False),
        (None, "ppo", [], False),
    ],
)
def test_a_fault_leaves_no_sign_where_the_table_says_so(
    fault: str | None, algorithm: str, held: list[str], is_unseen: bool
) -> None:
    assert leaves_no_sign({"fault": fault, "algorithm": algorithm}, held) is is_unseen


def test_algorithms_without_a_sign_are_those_of_the_corpus() -> None:
    assert {algorithm for row in read_unseen() for algorithm in row.algorithms} <= set(PRODUCERS)
