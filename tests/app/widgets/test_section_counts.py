"""Tests of the counts in the bar of sections."""

from dataclasses import replace
from pathlib import Path

import pytest

from app.figures.metric_table import metric_rows
from app.widgets.section_counts import section_counts
from diagnostics.api import diagnose, open_run
from diagnostics.model.run import Run
from diagnostics.model.status import Status
from diagnostics.runlog import RunLog


@pytest.mark.parametrize(("state", "steps", "charts"), [("finished", 8, "2"), ("running", 2, "6"), ("running", 8, "2")])
def test_the_charts_that_are_drawn_are_counted(tmp_path: Path, state: str, steps: int, charts: str) -> None:
    run = replace(written(tmp_path / "a", steps), status=Status(state))
    assert section_counts(diagnose(run))["charts"] == charts


def test_the_metrics_that_the_table_lists_are_counted_those_with_a_chart_too(tmp_path: Path) -> None:
    diagnosis = diagnose(written(tmp_path / "a", 8))
    rows = metric_rows(diagnosis.run, diagnosis.outcomes, None)
    assert section_counts(diagnosis)["metrics"] == f"{len(rows)}"
    assert {"reward", "kl_per_token"} <= {row.name for row in rows}


def written(folder: Path, steps: int) -> Run:
    with RunLog(folder, algorithm="grpo") as log:
        for step in range(1, steps + 1):
            log.log(step, {"reward": step / 10, "kl": 0.01})
    return open_run(folder)
