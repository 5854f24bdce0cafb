"""Tests of logs whose step never moves: their rows get steps, and the run says so."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from diagnostics.api import LiveRun, open_run
from diagnostics.assemble.row_axis import has_no_axis, on_rows
from diagnostics.model.recording import Recording
from diagnostics.model.series import NO_STEPS, NO_VALUES, RawSeries
from tests.diagnostics.readers.writers.trackers import EventFileWriter, WandbWriter

COUNTED = "Every point of the log is at step {step}, so its rows are counted instead"


def table(folder: Path, *rows: dict[str, Any]) -> Path:
    file = folder / "metrics.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


def test_rows_at_one_step_are_counted(tmp_path: Path) -> None:
    run = open_run(table(tmp_path, *({"global_step": 7, "loss": number / 8} for number in range(5))))

    assert run.series["loss"].steps.tolist() == [1, 2, 3, 4, 5]
    assert run.series["loss"].values.tolist() == [0.0, 0.125, 0.25, 0.375, 0.5]
    assert COUNTED.format(step=7) in run.notes
    assert (run.status.step, run.data_health.duplicates) == (5, 0)


def test_another_column_that_moves_is_the_axis(tmp_path: Path) -> None:
    run = open_run(table(tmp_path, *({"step": 0, "iteration": 10 * n, "loss": n / 8} for n in range(1, 5))))

    assert run.series["loss"].steps.tolist() == [10, 20, 30, 40]
    assert "Every point of the log is at step 0, so its steps are taken from iteration instead" in run.notes


def test_a_column_that_goes_back_is_no_axis(tmp_path: Path) -> None:
    run = open_run(table(tmp_path, *({"step": 0, "iteration": n % 2, "loss": n / 8} for n in range(1, 5))))

    assert run.series["loss"].steps.tolist() == [1, 2, 3, 4]


def test_a_metric_that_some_rows_lack_stays_in_its_rows(tmp_path: Path) -> None:
    writer = WandbWriter(tmp_path / "run-20260101_000000-abc")
    for row in range(1, 10):
        rare = {"eval/score": 0.5} if row % 3 == 0 else {}
        writer.log(row, {"train/global_step": 0, "loss": row / 8, **rare, "_timestamp": 1.7e9 + row})

    run = open_run(tmp_path)

    assert run.series["loss"].steps.tolist() == [*range(1, 10)]
    assert run.series["eval/score"].steps.tolist() == [3, 6, 9]


def test_a_global_step_that_moves_once_is_believed(tmp_path: Path) -> None:
    rows = [{"global_step": 0, "loss": number / 8} for number in range(5)]
    file = table(tmp_path, *rows)
    live = LiveRun(file)
    assert live.refresh().series["loss"].steps.tolist() == [1, 2, 3, 4, 5]

    with file.open("a") as more:
        more.write(json.dumps({"global_step": 1, "loss": 0.75}) + "\n")
    run = live.refresh()

    assert run.series["loss"].steps.tolist() == [0, 1]
    assert COUNTED.format(step=0) not in run.notes


def test_a_growing_log_keeps_counting(tmp_path: Path) -> None:
    writer = EventFileWriter(tmp_path / "run")
    for _ in range(3):
        writer.log(0, {"loss": 0.5})
    live = LiveRun(tmp_path)
    live.refresh()
    writer.log(0, {"loss": 0.25})

    run = live.refresh()
    assert run is not None
    assert run.series["loss"].values.tolist() == [0.5, 0.5, 0.5, 0.25]


@pytest.mark.parametrize("rows", [1, 2])
def test_one_step_with_its_evaluation_is_one_step(rows: int, tmp_path: Path) -> None:
    found = [{"step": 100, "loss": 0.5}, {"step": 100, "eval/loss": 0.25}][:rows]

    run = open_run(table(tmp_path, *found))

    assert np.unique(run.steps).tolist() == [100]


def test_timings_that_repeat_within_the_first_step_do_not_take_its_axis(tmp_path: Path) -> None:
    writer = WandbWriter(tmp_path / "run-20260101_000000-abc")
    for call in range(20):
        writer.log(call, {"train/global_step": 1, "profiling/Time taken: compute_loss": call / 8})
    writer.log(20, {"train/global_step": 1, "train/reward": 0.5, "train/kl": 0.25})

    assert open_run(tmp_path).get("reward").steps.tolist() == [1]  # type: ignore[union-attr]


def test_a_tag_without_points_yet_stays_empty(tmp_path: Path) -> None:
    loss = RawSeries("loss", np.zeros(3, dtype=np.int64), np.array([0.5, 0.25, 0.125]))
    tags = {"reward": RawSeries("reward", NO_STEPS, NO_VALUES), "loss": loss}

    found = on_rows(Recording(path=tmp_path, sources=(), run_id="run", name="run", tags=tags))

    assert has_no_axis(tags)
    assert found.tags["loss"].steps.tolist() == [1, 2, 3]
    assert found.tags["reward"].steps.tolist() == []
