"""Fix efficacy: retrains a sick run from before its onset with the fixes that its diagnosis suggests."""

import json
import math
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from statistics import fmean
from typing import Any

from benchmarks.detecting.cells import Cell, cells, controls_of
from benchmarks.detecting.expected import read_expected
from benchmarks.detecting.training import is_trained, run_folder
from diagnostics.api import diagnose, open_run
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from trainer.faults.fault import Sign

STEPS = 5
"""The last steps of a run whose mean shows the sign of its fault."""


def can_be_fixed(cache: Path, cell: Cell) -> bool:
    """Whether the cell is trained, visibly sick from the start, and has a healthy run to compare with."""
    return (
        cell.onset == 1
        and not cell.is_healthy
        and is_trained(cache, cell)
        and _shows_symptom(cache, cell, cell.name) is True
    )


def apply_missing(cache: Path, sick: Iterable[Cell], deadline: float) -> None:
    """Retrain with the suggested fixes, until `deadline` (of `time.monotonic`)."""
    for cell in sick:
        if time.monotonic() >= deadline:
            return
        if not _result_file(cache, cell).exists() and can_be_fixed(cache, cell):
            found = _apply(cache, cell)
            _result_file(cache, cell).parent.mkdir(parents=True, exist_ok=True)
            _result_file(cache, cell).write_text(json.dumps(found), "utf-8")
            sys.stdout.write(f"fixed {cell.name}: {found['outcome']}\n")
            sys.stdout.flush()


def read_fixed(cache: Path, cell: Cell) -> Mapping[str, Any] | None:
    """The result of the cell with its fix applied; None if that was not tried."""
    file = _result_file(cache, cell)
    return json.loads(file.read_text("utf-8")) if file.exists() else None


def _apply(cache: Path, cell: Cell) -> dict[str, Any]:
    """`outcome`: recovers (the symptom is gone), does-not, or no-setting (no fix is a value that can be set)."""
    parent, child = run_folder(cache, cell), cache / "runs" / _fixed_name(cell)
    command = [str(Path(sys.executable).with_name("rlvitals")), "train", "--from", parent.name, "--apply-fixes"]
    command += ["--run_dir", child.name]  # relative: the output is stored and must not contain local paths
    done = subprocess.run(command, cwd=parent.parent, capture_output=True, text=True, check=False)
    if not child.exists():
        return {"outcome": "no-setting", "said": done.stderr.strip().splitlines()[-1], "changes": {}, "still": []}
    run, rules = open_run(child), read_expected()[cell.fault or ""].rules
    fired = {outcome.rule for outcome in diagnose(run).fired if outcome.severity is not Severity.INFO}
    return {
        "outcome": "does-not" if _shows_symptom(cache, cell, child.name) else "recovers",
        "changes": _changes(open_run(parent), run),
        "still": sorted(fired & rules),
    }


def _shows_symptom(cache: Path, cell: Cell, name: str) -> bool | None:
    """Whether a run shows the fault's symptom against the healthy run; None until the healthy run is trained."""
    healthy = next(c for c in cells(cell.part) if _is_its_healthy_run(c, cell))
    if not is_trained(cache, healthy):
        return None
    sick, usual = (_last_mean(open_run(cache / "runs" / each), cell) for each in (name, healthy.name))
    return cell.case.sign.is_present(sick, usual)


def _is_its_healthy_run(candidate: Cell, cell: Cell) -> bool:
    same = (candidate.algorithm, candidate.task, candidate.seed) == (cell.algorithm, cell.task, cell.seed)
    return same and candidate.control == controls_of(cell.part)[0]


def _last_mean(run: Run, cell: Cell) -> float:
    sign: Sign = cell.case.sign
    series = next((series for series in run.series.values() if series.tag == sign.metric), None)
    if series is None:
        return math.nan
    values = series.values[series.steps > cell.steps - STEPS]
    return fmean(values.tolist()) if len(values) else math.nan


def _changes(parent: Run, child: Run) -> dict[str, Any]:
    """The settings that the fix changed; the fault's own values count, its name does not."""
    values = parent.config
    return {
        name: value
        for name, value in child.config.items()
        if name not in ("fault", "fault_step") and values.get(name) != value
    }


def _fixed_name(cell: Cell) -> str:
    return f"{cell.name}-fixed"


def _result_file(cache: Path, cell: Cell) -> Path:
    return cache / "fixed" / f"{cell.name}.json"
