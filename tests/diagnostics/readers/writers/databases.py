"""Writers of the SQLite databases of trackers, with the tables that trackio and MLflow create."""

import json
import math
import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, ClassVar

from diagnostics.readers.base import Reader
from diagnostics.readers.databases import mlflow, trackio
from tests.diagnostics.readers.writers.writer import Growth, Metrics, MetricWriter, Row

REAL_TRACKIO = Path(__file__).parents[3] / "fixtures" / "trl" / "ppo112_nmb1" / "trackio" / "labppo.db"
MLFLOW_TABLES = """
CREATE TABLE runs (run_uuid VARCHAR(32) NOT NULL PRIMARY KEY, name VARCHAR(250), status VARCHAR(9),
                   start_time BIGINT, end_time BIGINT, lifecycle_stage VARCHAR(20), experiment_id INTEGER);
CREATE TABLE metrics (key VARCHAR(250) NOT NULL, value FLOAT NOT NULL, timestamp BIGINT NOT NULL, run_uuid VARCHAR(32)
                      NOT NULL, step BIGINT DEFAULT '0' NOT NULL, is_nan BOOLEAN DEFAULT '0' NOT NULL,
                      PRIMARY KEY (key, timestamp, step, run_uuid, value, is_nan));
CREATE TABLE params (key VARCHAR(250) NOT NULL, value VARCHAR(8000) NOT NULL, run_uuid VARCHAR(32) NOT NULL);
"""
_WORDS = {math.inf: "Infinity", -math.inf: "-Infinity"}


class DatabaseWriter(MetricWriter):
    """A run in a database. `damage` makes the row with the given number unreadable."""

    growth = Growth.IN_PLACE
    damage: ClassVar[str]

    def __init__(self, path: Path, file_name: str) -> None:
        path.mkdir()
        self.path = path
        self.file = path / file_name

    def write(self, step: int, metrics: Metrics) -> None:
        self.write_rows([(step, metrics)])

    def execute(self, statement: str, rows: Iterable[tuple[object, ...]]) -> None:
        """Run a statement once per row, in one transaction."""
        with closing(sqlite3.connect(self.file)) as database, database:
            database.executemany(statement, rows)

    def corrupt(self, place: int) -> None:
        self.execute(self.damage, [(place + 1,)])


class TrackioWriter(DatabaseWriter):
    """A trackio project: one row per call with its metrics as JSON, NaN and the infinities as words."""

    form, mark = "trackio", "*.db"
    begins_empty = False  # a run takes its name from its rows
    damage = "UPDATE metrics SET metrics = x'7b' WHERE id = ?"

    def __init__(self, path: Path) -> None:
        super().__init__(path, "project.db")
        make_trackio_tables(self.file, "metrics", "configs")

    def write_rows(self, rows: Iterable[Row]) -> None:
        self.store((step, _in_words(metrics)) for step, metrics in rows)

    def store(self, rows: Iterable[tuple[int, Mapping[str, Any]]]) -> None:
        """Store the calls' metrics, each at the step that trackio counted."""
        statement = "INSERT INTO metrics (run_id, timestamp, run_name, step, metrics) VALUES ('r', ?, 'first', ?, ?)"
        moment = "2026-01-01T00:00:00+00:00"
        self.execute(statement, ((moment, step, json.dumps(logged).encode()) for step, logged in rows))

    def reader(self) -> Reader:
        return trackio.Reader(self.file)


class MlflowWriter(DatabaseWriter):
    """A run in MLflow's SQL store: one row per value, NaN as 0 with a flag, infinity as the largest float."""

    form, mark = "mlflow", "*.db"
    damage = "UPDATE metrics SET step = 'x' WHERE rowid = ?"

    def __init__(self, path: Path) -> None:
        super().__init__(path, "mlflow.db")
        with closing(sqlite3.connect(self.file)) as database, database:
            database.executescript(MLFLOW_TABLES)
            database.execute("INSERT INTO runs VALUES ('r', 'first', 'RUNNING', 1700000000000, NULL, 'active', 1)")
        self._time = 1700000000000

    def write_rows(self, rows: Iterable[Row]) -> None:
        points = ((name, step, value) for step, metrics in rows for name, value in metrics.items())
        stored = (self._stored(*point) for point in points)
        self.execute("INSERT INTO metrics VALUES (?, ?, ?, 'r', ?, ?)", stored)

    def _stored(self, name: str, step: int, value: float) -> tuple[object, ...]:
        self._time += 1
        finite = 0.0 if math.isnan(value) else max(-mlflow.LARGEST_FLOAT, min(mlflow.LARGEST_FLOAT, value))
        return name, finite, self._time, step, math.isnan(value)

    def reader(self) -> Reader:
        return mlflow.Reader(self.file)


def make_trackio_tables(file: Path, *names: str) -> None:
    """Create the tables as trackio did in a real database."""
    with closing(sqlite3.connect(REAL_TRACKIO)) as real, closing(sqlite3.connect(file)) as made:
        for name in names:
            made.execute(real.execute("SELECT sql FROM sqlite_master WHERE name = ?", (name,)).fetchone()[0])


def _in_words(metrics: Metrics) -> dict[str, Any]:
    return {name: in_words(value) for name, value in metrics.items()}


def in_words(value: float) -> float | str:
    """A number as trackio stores it: values that JSON cannot express become words."""
    return "NaN" if math.isnan(value) else _WORDS.get(value, value)
