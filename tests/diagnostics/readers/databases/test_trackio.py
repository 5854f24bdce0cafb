"""Tests of the trackio reader on databases of the real trackio schema."""

import json
import math
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from diagnostics.foreign_files.bounds import SAMPLE_ROWS
from diagnostics.readers.databases.trackio import Reader
from diagnostics.readers.discovery import find
from tests.diagnostics.readers.writers.databases import TrackioWriter, make_trackio_tables


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """An empty project with the tables that trackio makes."""
    file = tmp_path / "project.db"
    make_trackio_tables(file, "metrics", "configs")
    return file


def write(file: Path, counted: int, metrics: Mapping[str, Any], run: str = "first") -> None:
    with sqlite3.connect(file) as database:
        database.execute(
            "INSERT INTO metrics (run_id, timestamp, run_name, step, metrics) VALUES (?, ?, ?, ?, ?)",
            (run, "2026-01-01T00:00:00+00:00", run, counted, json.dumps(metrics).encode()),
        )


def points(recording: Any, tag: str) -> list[tuple[int, float]]:
    return list(zip(recording.tags[tag].steps.tolist(), recording.tags[tag].values.tolist(), strict=True))


def stored(file: Path) -> list[tuple[Any, ...]]:
    """What every row of a database holds, and as which type."""
    with closing(sqlite3.connect(file)) as database:
        rows = database.execute("SELECT run_name, step, typeof(metrics), metrics FROM metrics ORDER BY id").fetchall()
    return [(*rest, json.loads(metrics)) for *rest, metrics in rows]


def test_rows_stand_on_the_trainers_steps_once_it_names_them(project: Path) -> None:
    write(project, 0, {"time/generate": 0.5})
    write(project, 1, {"train/global_step": 1, "train/kl": 0.25})
    write(project, 2, {"time/generate": 0.6})

    recording = Reader(project).refresh()

    assert points(recording, "train/kl") == [(1, 0.25)]
    assert points(recording, "time/generate") == [(0, 0.5), (1, 0.6)]


def test_a_database_that_was_replaced_is_read_from_the_start(project: Path) -> None:
    empty = project.read_bytes()
    write(project, 0, {"kl": 1.0})
    reader = Reader(project)
    reader.refresh()
    project.unlink()
    project.write_bytes(empty)
    write(project, 0, {"loss": 3.0})

    assert [*reader.refresh().tags] == ["loss"]


def test_what_trackio_itself_stores_is_what_the_writer_of_the_suite_stores(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    storage = pytest.importorskip("trackio.sqlite_storage")
    monkeypatch.setattr(storage, "TRACKIO_DIR", tmp_path / "its")
    rows = [{"loss": 0.5, "奖励": math.nan}, {"loss": math.inf}, {"loss": -math.inf}]
    storage.SQLiteStorage.bulk_log("project", "first", rows, steps=[1, 2, 3])
    ours = TrackioWriter(tmp_path / "ours")
    ours.write_rows(enumerate(rows, start=1))

    assert stored(tmp_path / "its" / "project.db") == stored(ours.file)


def test_several_runs_of_one_project_are_told_apart(project: Path) -> None:
    write(project, 0, {"kl": 1.0}, run="first")
    write(project, 0, {"kl": 2.0}, run="second")

    found = find(project)

    assert [ref.path for ref in found] == [project / "first", project / "second"]
    assert points(Reader(found[1].path).refresh(), "kl") == [(0, 2.0)]
    assert [ref.path for ref in find(project / "second")] == [project / "second"]


def test_sampled_completions_are_read_when_asked_for(project: Path) -> None:
    table = {"_type": "trackio.table", "_value": [{"prompt": "2+2=", "completion": "4", "accuracy": "NaN", "step": 5}]}
    write(project, 0, {"train/global_step": 5, "rewards/accuracy/mean": 1.0})
    write(project, 1, {"completions": table})

    (sample,) = Reader(project).refresh().samples.at(5)

    assert (sample.query, sample.response) == ("2+2=", "4")
    assert np.isnan(sample.rewards["accuracy"])


def test_of_a_step_with_more_completions_than_the_bound_the_first_are_read(project: Path) -> None:
    rows = [{"prompt": f"q{row}", "completion": "a"} for row in range(SAMPLE_ROWS + 2)]
    numbers = [{"name": f"n{row}", "value": row} for row in range(SAMPLE_ROWS + 2)]
    write(project, 0, {"train/global_step": 5, "rewards/accuracy/mean": 1.0})
    write(project, 1, {"completions": {"_type": "trackio.table", "_value": rows}})
    write(project, 2, {"train/global_step": 6, "others": {"_type": "trackio.table", "_value": numbers}})

    recording = Reader(project).refresh()

    assert len(recording.samples.at(5)) == SAMPLE_ROWS
    assert recording.notes == ("the first 10,000 completions of step 5 are read (of 10,002)",)


def test_of_a_step_with_more_conversations_than_the_bound_the_first_are_read(project: Path) -> None:
    make_trackio_tables(project, "traces")
    write(project, 0, {"train/global_step": 5, "loss": 1.0})
    traces(project, SAMPLE_ROWS + 2, 0)

    recording = Reader(project).refresh()

    assert len(recording.samples.at(5)) == SAMPLE_ROWS
    assert recording.notes == ("the first 10,000 completions of step 5 are read (of 10,002)",)


def test_a_database_of_something_else_is_no_run(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "other.db") as database:
        database.execute("CREATE TABLE metrics (name TEXT)")
    (tmp_path / "junk.db").write_bytes(b"junk")

    assert find(tmp_path) == []


def test_tables_of_an_evaluation_are_told_apart_and_repeated_ones_count_once(project: Path) -> None:
    def table(score: Any) -> dict[str, Any]:
        return {"_type": "trackio.table", "_value": [{"prompt": "p", "completion": "a", "right": score}]}

    write(project, 0, {"train/global_step": 4, "train/rewards/right/mean": 1.0})
    write(project, 1, {"completions": table(1.0)})
    write(project, 2, {"train/global_step": 4, "eval/rewards/right/mean": 0.0})
    write(project, 3, {"completions": table("NaN")})
    write(project, 4, {"completions": table("NaN")})

    first, second = Reader(project).refresh().samples.at(4)

    assert (first.split, second.split) == ("train", "eval")
    assert (first.rewards["right"], np.isnan(second.rewards["right"])) == (1.0, True)


def trace(file: Path, number: int, counted: int, metadata: Mapping[str, Any]) -> None:
    """A conversation as `trackio.Trace` stores it: bytes, at the count of the call that logged it."""
    store_traces(file, [trace_cells(number, counted, metadata)])


def traces(file: Path, count: int, counted: int) -> None:
    store_traces(file, [trace_cells(number, counted, {}) for number in range(count)])


def trace_cells(number: int, counted: int, metadata: Mapping[str, Any]) -> tuple[str, int, bytes, bytes]:
    messages = [{"role": "user", "content": f"{number} + 1"}, {"role": "assistant", "content": str(number + 1)}]
    return str(number), counted, json.dumps(messages).encode(), json.dumps(metadata).encode()


def store_traces(file: Path, cells: list[tuple[str, int, bytes, bytes]]) -> None:
    with sqlite3.connect(file) as database:
        database.executemany(
            "INSERT INTO traces (id, run_id, timestamp, run_name, step, key, messages, metadata, search_text) "
            "VALUES (?, 'r', '', 'first', ?, 'val/generations', ?, ?, '')",
            cells,
        )


def test_logged_conversations_are_samples_of_the_trainers_step(project: Path) -> None:
    make_trackio_tables(project, "traces")
    write(project, 0, {"train/global_step": 10, "loss": 1.0})
    write(project, 1, {})
    trace(project, 1, 1, {"score": 0.5, "step": 3, "source": "gsm8k"})
    reader = Reader(project)
    assert reader.refresh().samples.steps == (10,)

    trace(project, 2, 1, {"score": 1.0})
    samples = reader.refresh().samples

    assert [(row.query, row.response, row.score, row.split) for row in samples.at(10)] == [
        ("1 + 1", "2", 0.5, "eval"),
        ("2 + 1", "3", 1.0, "eval"),
    ]
    assert samples.at(10)[0].extra == {"source": "gsm8k"}


def test_alerts_are_told_the_newest_first(project: Path) -> None:
    make_trackio_tables(project, "alerts")
    write(project, 0, {"loss": 1.0})
    with sqlite3.connect(project) as database:
        for number in range(7):
            database.execute(
                "INSERT INTO alerts (run_id, timestamp, run_name, title, text, step) "
                "VALUES ('r', '', 'first', ?, ?, ?)",
                (f"alert {number}", "too high", number),
            )

    notes = Reader(project).refresh().notes

    assert notes[0] == "trackio's alert 'alert 6' at its step 6: too high"
    assert (len(notes), notes[-1]) == (6, "2 earlier alerts")
