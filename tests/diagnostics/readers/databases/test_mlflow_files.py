"""Tests of MLflow's file store beyond what every reader must do, on runs that MLflow wrote."""

import math
import re
import shutil
from pathlib import Path
from typing import Any

from diagnostics.api import open_run
from diagnostics.readers.databases.mlflow_files import Reader
from diagnostics.readers.discovery import find

STORE = Path(__file__).parents[3] / "fixtures" / "mlflow" / "mlruns"


def points(recording: Any, tag: str) -> list[tuple[int, float]]:
    return list(zip(recording.tags[tag].steps.tolist(), recording.tags[tag].values.tolist(), strict=True))


def test_every_run_of_a_store_is_found_and_its_experiment_is_none() -> None:
    assert sorted(ref.name for ref in find(STORE)) == ["broken", "failed", "nightly"]


def test_a_run_of_mlflow_comes_back_whole() -> None:
    (ref,) = (ref for ref in find(STORE) if ref.name == "nightly")
    recording = Reader(ref.path).refresh()

    assert points(recording, "reward") == [(step, step / 8) for step in range(1, 13)]
    assert points(recording, "completions/mean_length")[0] == (1, 21.0)
    assert math.isnan(points(recording, "loss")[6][1])
    assert points(recording, "grad_norm")[8] == (9, math.inf)
    assert recording.config == {"learning_rate": 1e-6, "beta": 0.04, "model_name_or_path": "tiny"}
    assert (recording.status.state, recording.status.step, recording.malformed) == ("finished", 12, 0)
    assert recording.created is not None
    assert recording.created <= recording.tags["reward"].times[0] < recording.created + 60


def test_a_run_that_failed_says_so() -> None:
    (ref,) = (ref for ref in find(STORE) if ref.name == "broken")

    assert open_run(ref.path).status.state == "failed"


def test_lines_of_other_versions_are_read_and_those_that_are_none_are_counted(tmp_path: Path) -> None:
    (tmp_path / "metrics").mkdir()
    (tmp_path / "meta.yaml").write_text("run_id: 'abc'\nstatus: 1\n")
    (tmp_path / "metrics" / "loss").write_text(
        "1000 0.5\n2000 0.25 3 data 1a2b\n3000 x 4\n4000 1.0 99999999999999999999\n"
    )

    recording = Reader(tmp_path).refresh()

    assert points(recording, "loss") == [(0, 0.5), (3, 0.25)]
    assert recording.tags["loss"].times.tolist() == [1.0, 2.0]
    assert (recording.malformed, recording.name, recording.status.state) == (2, "abc", "running")


def test_a_deleted_run_is_no_run(tmp_path: Path) -> None:
    (tmp_path / "metrics").mkdir()
    (tmp_path / "meta.yaml").write_text("run_id: abc\nlifecycle_stage: deleted\n")

    assert find(tmp_path) == []


def test_a_status_that_is_no_number_is_unknown(tmp_path: Path) -> None:
    (ref,) = (ref for ref in find(STORE) if ref.name == "nightly")
    copy = shutil.copytree(ref.path, tmp_path / "run")
    (copy / "meta.yaml").write_text(re.sub("status: 3", "status: [[1], 2]", (copy / "meta.yaml").read_text()))

    assert Reader(copy).refresh().status.state == "unknown"
