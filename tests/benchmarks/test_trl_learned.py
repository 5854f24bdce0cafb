"""Tests of what learns from the labels of TRL's runs: a detector, and an order of causes."""

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from benchmarks.detecting.expected import read_expected
from benchmarks.detection_trl import RESULTS, ROOT, with_learned
from benchmarks.trl_runs.peers import FOLDER
from benchmarks.trl_runs.report import part_page


def measured_results() -> list[dict[str, Any]]:
    """The committed runs of the measured part, as if one version of rules and causes had judged them all."""
    results = [json.loads(line) for line in RESULTS.read_text("utf-8").splitlines()]
    return [each | {"judged_before": False} for each in results if each["cell"]["part"] == "measured"]


def learned_rows(scored: Mapping[str, float]) -> list[str]:
    """The rows of the detector that learns, where it gives these scores to the committed runs with these labels."""
    measured = [each | {"learned": scored[each["label"]]} for each in measured_results()]
    page = part_page("measured", measured, len(measured))
    return [line for line in page.splitlines() if line.startswith("| learned |")]


def test_a_detector_that_learns_is_shown_at_the_false_alarms_that_it_has() -> None:
    first, *_ = learned_rows({"sick": 1.0, "healthy": 0.0, "aside": 0.5})
    assert " 1.00 [" in first.split("|")[3]
    assert all(" 0.00 [" in row.split("|")[3] for row in learned_rows({"sick": 0.0, "healthy": 1.0, "aside": 0.5}))


def learned_causes_row(name: str) -> str:
    """The row of the causes that are learned, where each sick run of the committed ones is given this one."""
    measured = [each | {"learned_cause": name} for each in measured_results()]
    page = part_page("measured", measured, len(measured))
    (row,) = [line for line in page.splitlines() if line.startswith("| learned from other tasks |")]
    return row


def test_a_cause_that_is_learned_is_right_where_the_fault_has_it() -> None:
    right, none = learned_causes_row("not-training"), learned_causes_row("no-such-cause")
    assert " 0.00 [" in none
    assert " 0.00 [" not in right


@pytest.mark.process
def test_what_it_learns_from_tells_runs_of_another_task_apart(tmp_path: Path) -> None:
    python = ROOT / ".venv-peers" / "bin" / "python"
    if not python.is_file():
        pytest.skip(f"{python} is missing; make it with: make .venv-peers/.ready")
    faults = ("learning-rate-zero", "reward-scale")
    results = [
        {
            "name": f"{task}-{number}-{label}",
            "label": label,
            "cell": {
                "part": "measured",
                "task": task,
                "algorithm": "grpo",
                "fault": faults[number % 2] if label == "sick" else None,
            },
            "fired": {f"finding-{number % 2}": "warning"},
        }
        for task in ("units", "roman")
        for number in range(4)
        for label in ("sick", "healthy")
    ]
    for result in results:
        folder = tmp_path / FOLDER / result["name"]
        folder.mkdir(parents=True)
        slope = 0.01 if result["label"] == "healthy" else -0.01
        rows = [{"step": step, "metrics": {"reward": 0.5 + slope * step, "kl": math.nan}} for step in range(1, 9)]
        (folder / "events.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    aside = {**results[0], "name": "aside", "label": "aside"}
    *judged_runs, last = with_learned(tmp_path, [*results, aside], str(python))
    assert not {"learned", "learned_cause"} & set(last)
    assert all((each["learned"] > 0.5) is (each["label"] == "sick") for each in judged_runs)
    expected = [
        read_expected()[each["cell"]["fault"]].causes[0] if each["label"] == "sick" else None for each in judged_runs
    ]
    assert [each.get("learned_cause") for each in judged_runs] == expected
