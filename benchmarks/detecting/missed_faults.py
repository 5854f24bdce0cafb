"""Explains missed faults: the outcome on the whole run of each rule that should have fired."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.detecting.cells import Cell
from benchmarks.detecting.expected import read_expected
from benchmarks.detecting.scores import Result, score_sick_runs
from benchmarks.detecting.training import run_folder
from diagnostics.api import diagnose, open_run
from diagnostics.model.messages import render
from diagnostics.texts import templates


def with_reasons(cache: Path, cells: Sequence[Cell], results: Sequence[Result]) -> list[dict[str, Any]]:
    """The results, those of missed faults with `why`: rule → its outcome in words."""
    missed = {str(found.result["name"]) for found in score_sick_runs(results) if not found.is_found}
    return [
        {**result, "why": _reasons(cache, cell)} if cell.name in missed else dict(result)
        for cell, result in zip(cells, results, strict=True)
    ]


def _reasons(cache: Path, cell: Cell) -> Mapping[str, str]:
    rules = read_expected()[cell.fault or ""].rules
    outcomes = diagnose(open_run(run_folder(cache, cell))).outcomes
    right = [outcome for outcome in outcomes if outcome.rule in rules and outcome.applies]
    return {outcome.rule: render(outcome.message, templates()) for outcome in right}
