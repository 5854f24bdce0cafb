"""Tests of states: an old log that was copied or checked out a moment ago is not running."""

import json
import os
import shutil
import time
from pathlib import Path

import pytest

from diagnostics.api import find_runs, open_run
from diagnostics.readers.liveness import SILENCE_LIMIT_SECONDS, time_last_written
from tests.diagnostics.readers.consoles import left_for, written
from tests.diagnostics.readers.writers.trackers import WandbWriter

FIXTURES = Path(__file__).parents[2] / "fixtures"
LONG_AGO = 1.7e9
BAR = " 50%|█| 1/2 [{elapsed}<00:01, 1it/s]\n"
ROW = "{{'loss': {loss}, 'epoch': 0.1}}\n"


def test_the_time_of_a_file_counts_only_where_the_log_has_none() -> None:
    assert time_last_written(LONG_AGO, modified=1.8e9) == LONG_AGO
    assert time_last_written(None, modified=1.8e9) == 1.8e9
    assert time_last_written(35.0, modified=1.8e9) == 1.8e9  # seconds since the training began
    assert time_last_written(1.9e9, modified=1.8e9) == 1.8e9


@pytest.mark.parametrize(
    "source", ["trl/ppo112_nmb1/trackio", "trl/ppo112_nmb1/out/runs", "swanlab", "mlflow"], ids=lambda path: path[:11]
)
def test_a_tracker_knows_when_it_last_wrote(source: str, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(FIXTURES / source, tmp_path / "copy", copy_function=shutil.copyfile))

    states = {run.status.state for run in map(open_run, find_runs(folder))}

    assert "running" not in states


def test_rows_of_wandb_tell_when_they_were_written(tmp_path: Path) -> None:
    writer = WandbWriter(tmp_path / "run-20231114_221320-abc")
    writer.log(1, {"loss": 0.5, "_timestamp": LONG_AGO})

    status = open_run(tmp_path).status

    assert (status.state, status.last_written) == ("silent", LONG_AGO)


def test_a_run_of_wandb_without_a_record_is_as_old_as_its_folder(tmp_path: Path) -> None:
    WandbWriter(tmp_path / "run-20231114_221320-abc")
    assert open_run(tmp_path).status.state == "silent"


def test_a_run_of_wandb_that_began_just_now_is_running(tmp_path: Path) -> None:
    WandbWriter(tmp_path / time.strftime("run-%Y%m%d_%H%M%S-abc"))

    assert open_run(tmp_path).status.state == "running"


@pytest.mark.parametrize(("ago", "state"), [(10.0, "running"), (2 * SILENCE_LIMIT_SECONDS, "silent")])
def test_rows_of_a_table_tell_when_they_were_written(ago: float, state: str, tmp_path: Path) -> None:
    rows = [{"step": step, "loss": step / 8, "time": time.time() - ago} for step in range(3)]
    (tmp_path / "metrics.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))

    assert open_run(tmp_path).status.state == state


def test_a_trainers_state_written_anew_makes_an_event_file_no_younger(tmp_path: Path) -> None:
    shutil.copytree(FIXTURES / "trl" / "ppo112_nmb1" / "out", tmp_path / "out", copy_function=shutil.copyfile)

    status = open_run(tmp_path).status

    assert status.last_written is not None
    assert time.time() - status.last_written > 3600


DATE = "2023-11-14 22:13:20,123\tINFO worker.py:1752 -- Started a local Ray instance.\n"


def test_a_text_that_prints_a_date_of_long_ago_is_not_running(tmp_path: Path) -> None:
    status = open_run(written(tmp_path, DATE + "step:1 - loss:0.5\n")).status

    assert status.state == "silent"
    assert status.last_written == time.mktime((2023, 11, 14, 22, 13, 20, 0, 0, -1))


def test_what_the_progress_bar_took_is_added_to_the_date(tmp_path: Path) -> None:
    text = DATE + BAR.format(elapsed="38:51:02") + ROW.format(loss=0.5)

    status = open_run(written(tmp_path, text)).status

    assert status.last_written == time.mktime((2023, 11, 14, 22, 13, 20, 0, 0, -1)) + 38 * 3600 + 51 * 60 + 2


def test_a_text_that_took_hours_and_is_as_old_as_its_folder_is_a_copy(tmp_path: Path) -> None:
    file = written(tmp_path, BAR.format(elapsed="38:51:02") + ROW.format(loss=0.5))

    assert (open_run(file).status.state, open_run(file).status.last_written) == ("unknown", None)
    os.utime(tmp_path, (time.time() - 7200,) * 2)
    assert open_run(file).status.state == "running"
    assert open_run(left_for(file, 2 * SILENCE_LIMIT_SECONDS)).status.state == "silent"


@pytest.mark.parametrize("text", ["It was signed on 3 May 2001-02-03 04:05:06", "x" * 61 + " 2001-02-03 04:05:06"])
def test_a_date_within_a_sentence_says_nothing_of_the_text(text: str, tmp_path: Path) -> None:
    file = written(tmp_path, f"{text}\nstep:1 - loss:0.5\n")
    os.utime(tmp_path, (time.time() - 7200,) * 2)

    assert open_run(file).status.state == "running"
