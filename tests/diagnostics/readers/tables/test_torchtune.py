"""Tests of torchtune's log beyond what every reader must do, on one that its DiskLogger wrote."""

import math
import shutil
from pathlib import Path
from typing import Any

from diagnostics.api import open_run
from diagnostics.readers.discovery import find
from diagnostics.readers.tables.torchtune import Reader

FOLDER = Path(__file__).parents[3] / "fixtures" / "torchtune"


def points(recording: Any, tag: str) -> list[tuple[int, float]]:
    return list(zip(recording.tags[tag].steps.tolist(), recording.tags[tag].values.tolist(), strict=True))


def test_a_log_of_torchtune_comes_back_whole() -> None:
    (ref,) = find(FOLDER)
    recording = Reader(ref.path).refresh()

    assert points(recording, "scores") == [(step, step / 8) for step in range(1, 13)]
    assert math.isnan(points(recording, "loss")[6][1])
    assert points(recording, "peak_memory_alloc") == [(12, 0.5)]
    assert points(recording, "lr")[0] == (1, 1e-6)
    assert (recording.created, recording.malformed) == (float(ref.path.stem.removeprefix("log_")), 0)
    assert open_run(ref.path).producer == "torchtune"


def test_each_start_of_a_training_is_a_run_and_another_text_is_none(tmp_path: Path) -> None:
    (log,) = FOLDER.glob("log_*.txt")
    shutil.copy(log, tmp_path / "log_1.txt")
    (tmp_path / "log_2.txt").write_text(log.read_text().replace(":0.", ":1."))
    (tmp_path / "log_3.txt").write_text("Step by step | a diary: 1\n")

    assert [ref.path.name for ref in find(tmp_path)] == ["log_1.txt", "log_2.txt"]


def test_values_that_are_no_numbers_are_counted_and_names_may_hold_colons_and_spaces(tmp_path: Path) -> None:
    file = tmp_path / "log_1.txt"
    file.write_text("Step 1 | loss:0.5 mode:fast my own::kl:0.25 \nno step here\nStep 2 | \n")

    recording = Reader(file).refresh()

    assert {tag: points(recording, tag) for tag in recording.tags} == {"loss": [(1, 0.5)], "my own::kl": [(1, 0.25)]}
    assert (recording.malformed, recording.status.step) == (2, 2)
