"""Tests of the counts in the bar of sections."""

from dataclasses import replace
from pathlib import Path

import pytest

from app.widgets.section_counts import section_counts
from diagnostics.api import diagnose, open_run
from diagnostics.model.status import Status
from diagnostics.runlog import RunLog


@pytest.mark.parametrize(("state", "charts"), [("finished", "2"), ("running", "6")])
def test_the_charts_that_are_drawn_are_counted(tmp_path: Path, state: str, charts: str) -> None:
    with RunLog(tmp_path / "a", algorithm="grpo") as log:
        for step in range(1, 9):
            log.log(step, {"reward": step / 10, "kl": 0.01})
    run = replace(open_run(tmp_path / "a"), status=Status(state))

    assert section_counts(diagnose(run))["charts"] == charts
