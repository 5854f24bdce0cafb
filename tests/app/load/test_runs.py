"""Runs are read once for all sessions and re-diagnosed only after they change."""

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from app.load.runs import SharedRun, close, is_live, is_open, snapshot_of
from diagnostics.api import UnreadableRun, open_run
from diagnostics.boundary import Boundary
from diagnostics.foreign_files import Cancelled, cancelled_when
from diagnostics.model.status import Status
from diagnostics.runlog import RunLog


def test_an_unchanged_run_keeps_its_diagnosis(tmp_path: Path) -> None:
    with RunLog(tmp_path / "a", algorithm="grpo") as log:
        log.log(1, {"reward": 1.0})
    shared = SharedRun(str(tmp_path / "a"), Boundary.around([tmp_path]))
    before = shared.snapshot()
    time.sleep(0.3)
    assert before is shared.snapshot()


def test_a_new_step_is_a_new_revision(tmp_path: Path) -> None:
    with RunLog(tmp_path / "a", algorithm="grpo") as log:
        log.log(1, {"reward": 1.0})
        shared = SharedRun(str(tmp_path / "a"), Boundary.around([tmp_path]))
        before = shared.snapshot()
        log.log(2, {"reward": 2.0})
        time.sleep(0.3)
        after = shared.snapshot()
    assert after.revision > before.revision
    assert list(after.run.steps) == [1, 2]


def test_a_run_that_has_ended_is_shown_with_its_own_diagnosis(tmp_path: Path) -> None:
    with RunLog(tmp_path / "a", algorithm="grpo") as log:
        log.log(1, {"reward": 1.0})
        shared = SharedRun(str(tmp_path / "a"), Boundary.around([tmp_path]))
        shared.snapshot()
        log.log(2, {"reward": 2.0})
    time.sleep(0.3)
    snapshot = shared.snapshot()
    assert snapshot.diagnosis.run is snapshot.run
    assert list(snapshot.run.steps) == [1, 2]


def test_many_sessions_at_once_see_a_consistent_run(tmp_path: Path) -> None:
    with RunLog(tmp_path / "a", algorithm="grpo") as log, ThreadPoolExecutor(8) as pool:
        log.log(0, {"reward": 0.0})
        shared = SharedRun(str(tmp_path / "a"), Boundary.around([tmp_path]))
        looks = pool.map(lambda _: [list(shared.snapshot().run.steps) for _ in range(50)], range(8))
        for step in range(1, 200):
            log.log(step, {"reward": 1.0})
        seen = [steps for each in looks for steps in each]
    assert all(steps == list(range(len(steps))) for steps in seen)


def test_a_path_without_a_run_raises_its_sentence(tmp_path: Path) -> None:
    with pytest.raises(UnreadableRun, match="is an empty folder"):
        SharedRun(str(tmp_path), Boundary.around([tmp_path]))


def test_a_finished_run_is_not_polled_and_a_foreign_one_only_while_it_is_fresh(tmp_path: Path) -> None:
    with RunLog(tmp_path / "a", algorithm="grpo") as log:
        log.log(1, {"reward": 1.0})
    finished = open_run(tmp_path / "a")
    fresh = replace(finished, status=Status("unknown", 10, last_written=time.time() - 5))
    stale = replace(finished, status=Status("unknown", 10, last_written=time.time() - 3600))
    assert [is_live(finished), is_live(fresh), is_live(stale)] == [False, True, False]


def test_reading_ends_when_its_page_has_gone_and_another_page_reads_all(tmp_path: Path) -> None:
    with RunLog(tmp_path / "a", algorithm="grpo") as log:
        log.log(1, {"reward": 1.0})
    path = str(tmp_path / "a")
    with pytest.raises(Cancelled), cancelled_when(lambda: True):
        snapshot_of(path, Boundary.around([tmp_path]))
    assert not is_open(path)

    assert list(snapshot_of(path, Boundary.around([tmp_path])).run.steps) == [1]
    close(path)
