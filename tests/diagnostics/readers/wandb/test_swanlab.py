"""Tests of the SwanLab reader beyond what every reader must do, on a run that SwanLab 0.10 wrote."""

import math
import os
from pathlib import Path
from typing import Any

from benchmarks.event_files import field
from diagnostics.readers.base import format_named
from diagnostics.readers.discovery import find
from diagnostics.readers.wandb.swanlab import Reader, start_time

RUNS = Path(__file__).parents[3] / "fixtures" / "swanlab" / "swanlog"


def points(recording: Any, tag: str) -> list[tuple[int, float]]:
    return list(zip(recording.tags[tag].steps.tolist(), recording.tags[tag].values.tolist(), strict=True))


def test_a_run_of_swanlab_comes_back_whole() -> None:
    (ref,) = find(RUNS)
    recording = Reader(ref.path).refresh()

    assert (recording.name, recording.run_id) == ("nightly", "k2rq0cky")
    assert points(recording, "train/reward") == [(step, step / 8) for step in range(1, 13)]
    assert math.isnan(points(recording, "train/loss")[6][1])
    assert points(recording, "train/grad_norm")[8] == (9, math.inf)
    assert recording.config == {"learning_rate": 1e-6, "beta": 0.04, "nested": {"a": [1, 2]}}
    assert recording.text == {"requirements.txt": "swanlab==0.10.3\n"}
    assert (recording.status.state, recording.malformed) == ("finished", 0)
    assert recording.created == start_time(ref.path)
    assert recording.created is not None
    assert recording.created < recording.tags["train/reward"].times[0] < recording.created + 60


def test_the_machines_metrics_and_the_axis_are_no_metrics_of_the_run() -> None:
    tags = Reader(next(iter(find(RUNS))).path).refresh().tags

    assert not [tag for tag in tags if tag.startswith("__swanlab__")]
    assert "train/global_step" not in tags
    assert "machine" in format_named("swanlab").loss


def test_a_run_without_an_end_is_silent_once_nothing_comes(swanlab_file: Any) -> None:
    swanlab_file.write(1, {"loss": 1.0})
    assert swanlab_file.reader().refresh().status.state == "running"

    os.utime(swanlab_file.file, (1e9, 1e9))
    assert swanlab_file.reader().refresh().status.state == "silent"


def test_a_number_that_is_zero_is_a_point_although_it_is_left_out_of_the_message(swanlab_file: Any) -> None:
    swanlab_file.append(b"\x08\x01" + field(13, field(1, b"loss") + b"\x10\x03" + field(5, b"")))

    assert points(swanlab_file.reader().refresh(), "loss") == [(3, 0.0)]
