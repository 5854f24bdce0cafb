"""When the page of a growing run is drawn anew: at once for another state or other findings, else within its share."""

import math
import time
from dataclasses import replace
from pathlib import Path

from app.load.runs import Snapshot
from app.views.run import Drawn
from diagnostics.api import diagnose, open_run
from diagnostics.runlog import RunLog


def test_new_steps_alone_wait_and_another_state_or_finding_does_not(tmp_path: Path) -> None:
    with RunLog(tmp_path / "a", algorithm="grpo") as log:
        log.log(1, {"reward": 0.5})
        run = open_run(tmp_path / "a")
        log.log(2, {"reward": 0.6})
        grown = open_run(tmp_path / "a")
        log.log(3, {"reward": math.nan})
        broken = open_run(tmp_path / "a")
    ended = open_run(tmp_path / "a")
    shown = Snapshot(run, diagnose(run), 1)
    waits, is_due = Drawn(shown, time.monotonic() + 60.0), Drawn(shown, time.monotonic())
    for now, is_drawn in (
        (shown, (False, False)),
        (replace(shown, run=grown, revision=2), (False, True)),
        (replace(shown, run=ended, revision=3), (True, True)),
        (Snapshot(grown, diagnose(grown), 4), (False, True)),
        (Snapshot(broken, diagnose(broken), 5), (True, True)),
    ):
        assert (waits.is_out_of_date(now), is_due.is_out_of_date(now)) == is_drawn
