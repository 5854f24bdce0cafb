"""Tests of the MLflow reader on a database with the tables of MLflow 3."""

import sqlite3
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from diagnostics.readers.base import UnreadableRun
from diagnostics.readers.databases.mlflow import LARGEST_FLOAT, Reader, start_time
from diagnostics.readers.discovery import find
from tests.diagnostics.readers.writers.databases import MLFLOW_TABLES


@pytest.fixture
def database(tmp_path: Path) -> Path:
    file = tmp_path / "mlflow.db"
    with sqlite3.connect(file) as made:
        made.executescript(MLFLOW_TABLES)
    return file


def add_run(file: Path, number: str, status: str = "RUNNING") -> None:
    with sqlite3.connect(file) as made:
        made.execute("INSERT INTO runs VALUES (?, ?, ?, 1700000000000, NULL, 'active', 1)", (number, number, status))


def log(file: Path, number: str, key: str, step: int, value: float, is_nan: bool = False) -> None:
    with sqlite3.connect(file) as made:
        made.execute(
            "INSERT INTO metrics VALUES (?, ?, ?, ?, ?, ?)", (key, value, 1700000000000 + step, number, step, is_nan)
        )


def points(recording: Any, tag: str) -> list[tuple[int, float]]:
    return list(zip(recording.tags[tag].steps.tolist(), recording.tags[tag].values.tolist(), strict=True))


def test_nan_and_infinity_are_what_was_logged_again(database: Path) -> None:
    add_run(database, "a")
    log(database, "a", "kl", 1, 0.0, is_nan=True)
    log(database, "a", "kl", 2, LARGEST_FLOAT)
    log(database, "a", "kl", 3, -LARGEST_FLOAT)
    log(database, "a", "kl", 4, 0.0)

    values = Reader(database).refresh().tags["kl"].values

    assert np.array_equal([np.nan, np.inf, -np.inf, 0.0], values, equal_nan=True)


def test_a_growing_run_is_read_on_and_says_how_it_ended(database: Path) -> None:
    add_run(database, "a")
    log(database, "a", "kl", 1, 0.5)
    reader = Reader(database)
    assert reader.refresh().status.state == "running"
    log(database, "a", "kl", 2, 0.25)
    with sqlite3.connect(database) as made:
        made.execute("UPDATE runs SET status = 'FAILED'")

    recording = reader.refresh()

    assert points(recording, "kl") == [(1, 0.5), (2, 0.25)]
    assert recording.status.state == "failed"


def test_several_runs_are_told_apart_and_settings_keep_their_types(database: Path) -> None:
    for number in ("a", "b"):
        add_run(database, number, "FINISHED")
        log(database, number, "kl", 1, float(number == "b"))
    with sqlite3.connect(database) as made:
        made.executemany(
            "INSERT INTO params VALUES (?, ?, 'b')", [("lr", "1e-06"), ("bf16", "True"), ("model", "tiny")]
        )

    found = find(database.parent)

    assert [ref.path.name for ref in found] == ["a", "b"]
    assert points(Reader(found[1].path).refresh(), "kl") == [(1, 1.0)]
    assert Reader(found[1].path).refresh().config == {"lr": 1e-6, "bf16": True, "model": "tiny"}
    assert start_time(found[0].path) == 1.7e9


def test_a_run_that_is_not_there_says_so(database: Path) -> None:
    with pytest.raises(UnreadableRun, match="holds no runs"):
        Reader(database / "missing").refresh()


@pytest.mark.parametrize("table", ["metrics", "runs", "params"])
def test_a_view_that_never_ends_in_the_place_of_a_table_is_refused(table: str, database: Path) -> None:
    add_run(database, "a")
    with sqlite3.connect(database) as made:
        names = [name for _, name, *_ in made.execute(f"PRAGMA table_info({table})")]
        endless = "WITH RECURSIVE endless(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM endless)"
        columns = ", ".join(f"n AS {name}" for name in names)
        made.executescript(f"DROP TABLE {table}; CREATE VIEW {table} AS {endless} SELECT {columns} FROM endless")

    assert len(find(database)) <= 1
    with pytest.raises(UnreadableRun, match="cannot be read as a database of MLflow"):
        Reader(database).refresh()
