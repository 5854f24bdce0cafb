"""Reads trackio databases: one SQLite file per project, with any number of runs."""

import json
import sqlite3
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from diagnostics.foreign_files import rows_of_a_poll
from diagnostics.foreign_files.bounds import SAMPLE_ROWS
from diagnostics.foreign_files.folders import files_in
from diagnostics.model.recording import Recording, Source
from diagnostics.model.samples import Sample, Samples
from diagnostics.model.status import Status
from diagnostics.readers.base import RunRef, UnreadableRun
from diagnostics.readers.databases.sqlite import columns, connect_read_only, files_of, last_written
from diagnostics.readers.databases.trackio_traces import alert_notes, trace_rows, traces
from diagnostics.readers.files.json_lines import Row, parse_row
from diagnostics.readers.liveness import state_of, time_last_written
from diagnostics.readers.rows import AXES, Rows
from diagnostics.readers.samples.cut_steps import beyond_count
from diagnostics.readers.samples.tables import completions_in, is_sample_table, reward_functions, to_samples
from diagnostics.told import told

_TABLE = "trackio.table"
_EVAL_KEYS = ("eval", "val")


class _Table(NamedTuple):
    """One logged table or conversation: its row and key in the database, and the step its completions belong to."""

    number: int
    key: str
    split: str
    is_trace: bool = False


def runs_in(folder: Path) -> tuple[RunRef, ...]:
    """The runs of every project database directly in a folder; other databases contain none."""
    return tuple(ref for file in files_in(folder, "*.db") for ref in runs_of(file))


def runs_of(file: Path) -> Iterator[RunRef]:
    """The runs of one database: the file itself if it contains one run, else the run's name below the file."""
    try:
        with connect_read_only(file) as database:
            names = [
                str(name) for (name,) in database.execute("SELECT DISTINCT run_name FROM metrics ORDER BY run_name")
            ]
            if not {"run_name", "step", "metrics"} <= columns(database, "metrics"):
                return
    except (sqlite3.Error, FileNotFoundError):
        return
    for name in names:
        yield RunRef(file if len(names) == 1 else file / name, "trackio", name)


def start_time(path: Path) -> float | None:
    """When the run's first row was written; trackio timestamps its configuration earlier."""
    file, run = (path, None) if path.is_file() else (path.parent, path.name)
    query = "SELECT min(created_at) FROM configs" + (" WHERE run_name = ?" if run else "")
    try:
        with connect_read_only(file) as database:
            (config,) = database.execute(query.replace("min(created_at)", "config"), (run,) if run else ()).fetchone()
            (written,) = database.execute(query, (run,) if run else ()).fetchone()
    except (sqlite3.Error, OSError, TypeError):
        return None
    return _seconds((_row(config) or {}).get("_Created")) or _seconds(written)


class Reader:
    """Follows one run of a database."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.file = path if path.is_file() else path.parent
        self._run = "" if path.is_file() else path.name  # "": the only one
        self._rows = Rows()
        self._tables: dict[int, list[_Table]] = {}
        self._counts: dict[int, int] = {}  # completions by step in the largest of its tables
        self._last_id = self._last_trace = 0
        self._steps: dict[int, int] = {}  # the trainer's step by trackio's count
        self._alerts: tuple[str, ...] = ()
        self._inode: int | None = None
        self._last: Recording | None = None
        self._misfits = 0
        self._newest: float | None = None

    def refresh(self) -> Recording:
        """The run's current Recording; the same object as the last call if nothing changed. Raises UnreadableRun."""
        try:
            inode = self.file.stat().st_ino
            with connect_read_only(self.file) as database:
                if self._inode not in (None, inode) or self._was_truncated(database):
                    self._reset()
                self._inode = inode
                grew = self._read(database)
                config = self._config(database) if grew or self._last is None else {}
        except FileNotFoundError as error:
            raise UnreadableRun(
                self.path, told("{path} is gone: the database was there and has been removed", path=self.path)
            ) from error
        except sqlite3.Error as error:
            self._reset()  # it may have been read only partly
            raise UnreadableRun(
                self.path, told("{file} cannot be read as a database of trackio: {why}", file=self.file, why=error)
            ) from error
        status = self._status(time.time())
        if self._last is None or grew or status != self._last.status:
            self._last = self._record(status, config or (dict(self._last.config) if self._last else {}))
        return self._last

    def files(self) -> tuple[Path, ...]:
        """The database and its write-ahead log."""
        return files_of(self.file)

    def name(self) -> str:
        """Empty: the run's name is in the database."""
        return ""

    def sample_index(self) -> Any:
        """The tables of each step, and the reward functions named by their columns."""
        return {
            "tables": [[step, list(map(list, found))] for step, found in self._tables.items()],
            "functions": sorted(reward_functions(self._rows.columns.tags)),
        }

    def samples_of(self, index: Any) -> Samples:
        """The samples in these tables."""
        tables = {step: tuple(_Table(*table) for table in found) for step, found in index["tables"]}
        return _samples(self.file, tables, frozenset(index["functions"]))

    def _record(self, status: Status, config: Row) -> Recording:
        points = self._rows.columns
        tables = {step: tuple(found) for step, found in self._tables.items()}
        return Recording(
            path=self.path,
            sources=(Source("trackio", self.path),),
            run_id=self._run or self.file.stem,
            name=self._run or self.file.stem,
            tags=points.series(),
            histograms=self._rows.histograms.by_tag(),
            config={name: value for name, value in config.items() if not name.startswith("_")},
            samples=_samples(self.file, tables, reward_functions(points.tags)),
            status=status,
            created=_seconds(config.get("_Created")),
            malformed=self._misfits + self._rows.misfits,
            notes=(*self._rows.notes(), *beyond_count(self._counts | _trace_counts(tables)), *self._alerts),
        )

    def _read(self, database: sqlite3.Connection) -> bool:
        before = self._last_id
        if not self._run:
            names = database.execute("SELECT DISTINCT run_name FROM metrics LIMIT 2").fetchall()
            if len(names) != 1:
                raise UnreadableRun(
                    self.path,
                    told("{file} holds {count} runs; open one of them", file=self.file, count=len(names) or told("no")),
                )
            self._run = str(names[0][0])
        query = "SELECT id, step, timestamp, metrics FROM metrics WHERE run_name = ? AND id > ? ORDER BY id LIMIT ?"
        for number, counted, written, metrics in database.execute(query, (self._run, before, rows_of_a_poll())):
            self._last_id = number
            self._take(number, counted, _seconds(written) or 0.0, _row(metrics))
        alerts, last_trace = alert_notes(database, self._run), self._last_trace
        for trace in traces(database, self._run, last_trace):
            self._last_trace = trace.number
            step = self._steps.get(trace.counted, trace.counted)
            split = "eval" if trace.key.startswith(_EVAL_KEYS) else "train"
            self._tables.setdefault(step, []).append(_Table(trace.number, trace.key, split, is_trace=True))
        grew = (before, last_trace, self._alerts) != (self._last_id, self._last_trace, alerts)
        self._alerts = alerts
        return grew

    def _take(self, number: int, counted: Any, written: float, row: Row | None) -> None:
        step = None if row is None else self._rows.step_of(row, counted if isinstance(counted, int) else None)
        if row is None or step is None:
            self._misfits += 1
            return
        self._rows.note_phase(row)
        if isinstance(counted, int):
            self._steps[counted] = step
        for name, value in row.items():
            if isinstance(value, dict) and value.get("_type") == _TABLE:
                is_eval = self._rows.is_evaluating or name.startswith(_EVAL_KEYS)
                self._tables.setdefault(step, []).append(_Table(number, name, "eval" if is_eval else "train"))
                held = sum(map(completions_in, _completions(value)))
                self._counts[step] = max(held, self._counts.get(step, 0))
            elif name not in AXES:
                self._rows.add(name, value, step, written)
        self._rows.last_step, self._newest = step, written

    def _config(self, database: sqlite3.Connection) -> Row:
        if not columns(database, "configs"):
            return {}
        query = "SELECT config FROM configs WHERE run_name = ? ORDER BY rowid DESC LIMIT 1"
        found = database.execute(query, (self._run,)).fetchone()
        return (_row(found[0]) if found else None) or {}

    def _was_truncated(self, database: sqlite3.Connection) -> bool:
        (last,) = database.execute("SELECT max(id) FROM metrics").fetchone()
        return (last or 0) < self._last_id

    def _reset(self) -> None:
        self._rows, self._tables, self._last_id, self._last, self._misfits = Rows(), {}, 0, None, 0
        self._steps, self._counts, self._last_trace, self._alerts, self._newest = {}, {}, 0, (), None

    def _status(self, now: float) -> Status:
        """Running while rows arrive; the database does not record how a run ended."""
        written = time_last_written(self._newest, last_written(self.file))
        return Status(state=state_of(written, now), step=self._rows.last_step, last_written=written)


def _samples(file: Path, tables: dict[int, tuple[_Table, ...]], functions: frozenset[str]) -> Samples:
    return Samples(tuple(sorted(tables)), partial(load_samples, file, tables, functions))


def _trace_counts(tables: Mapping[int, Sequence[_Table]]) -> dict[int, int]:
    """How many conversations of one split each step holds, of steps that hold more than are read."""
    splits = {
        step: Counter(table.split for table in found if table.is_trace)
        for step, found in tables.items()
        if len(found) > SAMPLE_ROWS
    }
    return {step: max(found.values(), default=0) for step, found in splits.items()}


def load_samples(
    file: Path, tables: dict[int, tuple[_Table, ...]], functions: frozenset[str], step: int
) -> tuple[Sample, ...]:
    """The samples of one step; none if the database is gone.

    A table identical to the previous one counts once: TRL logs the newest one again when the training ends.
    """
    found: list[Sample] = []
    before: list[Row] = []
    try:
        with connect_read_only(file) as database:
            for table in tables[step]:
                if table.is_trace:
                    continue
                rows = _table_rows(database, table)
                if json.dumps(rows) != json.dumps(before):
                    found += to_samples(rows, step, functions, table.split)
                before = rows
            for split in ("train", "eval"):
                numbers = [table.number for table in tables[step] if table.is_trace and table.split == split]
                found += to_samples(trace_rows(database, numbers), step, functions, split)
    except (sqlite3.Error, FileNotFoundError):
        return ()
    return tuple(found)


def _table_rows(database: sqlite3.Connection, table: _Table) -> list[Row]:
    """The rows of a table of completions; none if it holds something else or is gone."""
    stored = database.execute("SELECT metrics FROM metrics WHERE id = ?", (table.number,)).fetchone()
    return _completions((_row(stored[0]) or {}).get(table.key) if stored else None)


def _completions(value: Any) -> list[Row]:
    """The rows of a logged table; none if it holds something else than completions."""
    rows = value.get("_value") if isinstance(value, dict) else None
    found = [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    return found if found and is_sample_table(found[0]) else []


def _row(metrics: Any) -> Row | None:
    """The values of one row, which trackio stores as bytes although the column is declared as text."""
    if isinstance(metrics, str):
        metrics = metrics.encode(errors="replace")
    return parse_row(metrics) if isinstance(metrics, bytes) else None


def _seconds(text: Any) -> float | None:
    """An ISO date in seconds since the epoch."""
    try:
        return datetime.fromisoformat(text).timestamp()
    except (TypeError, ValueError):
        return None
