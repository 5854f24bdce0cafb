"""Reads MLflow databases: one SQLite file with any number of experiments and runs."""

import math
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from diagnostics.foreign_files import rows_of_a_poll
from diagnostics.foreign_files.documents import parse_json
from diagnostics.foreign_files.folders import files_in
from diagnostics.model.recording import Recording, Source
from diagnostics.model.samples import Samples
from diagnostics.model.status import Status
from diagnostics.readers.base import RunRef, UnreadableRun
from diagnostics.readers.columns import Columns
from diagnostics.readers.databases.sqlite import columns, connect_read_only, files_of, last_written
from diagnostics.readers.files.json_lines import Row, as_number, as_whole
from diagnostics.told import told

LARGEST_FLOAT = 1.7976931348623157e308  # what MLflow stores for infinity, with the sign
MILLISECOND = 1e-3
_STATES = {"RUNNING": "running", "FINISHED": "finished", "FAILED": "failed", "KILLED": "stopped"}


def runs_in(folder: Path) -> tuple[RunRef, ...]:
    """The runs of every MLflow database directly in a folder; other databases contain none."""
    return tuple(ref for file in files_in(folder, "*.db") for ref in runs_of(file))


def runs_of(file: Path) -> Iterator[RunRef]:
    """The runs of one database except deleted ones: the file itself if it contains one run, else paths below it."""
    query = "SELECT run_uuid, name FROM runs WHERE lifecycle_stage = 'active' ORDER BY start_time"
    try:
        with connect_read_only(file) as database:
            if not {"key", "value", "run_uuid", "is_nan"} <= columns(database, "metrics"):
                return
            runs = database.execute(query).fetchall()
    except (sqlite3.Error, FileNotFoundError):
        return
    for number, name in runs:
        yield RunRef(file if len(runs) == 1 else file / str(number), "mlflow", str(name or number))


def start_time(path: Path) -> float | None:
    """When the run began, according to its row."""
    try:
        with connect_read_only(_file_of(path)) as database:
            found = _run_of(path, database)
    except (sqlite3.Error, OSError, UnreadableRun):
        return None
    return seconds(found["start_time"])


class Reader:
    """Follows one run of a database."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.file = _file_of(path)
        self._inode: int | None = None
        self._reset()

    def _reset(self) -> None:
        self._columns = Columns()
        self._last_row = 0
        self._misfits = 0  # rows without a step or a value
        self._last_step: int | None = None
        self._last: Recording | None = None

    def refresh(self) -> Recording:
        """The run's current Recording; the same object as the last call if nothing changed. Raises UnreadableRun."""
        try:
            with connect_read_only(self.file) as database:
                row = _run_of(self.path, database)
                grew = self._read(database, str(row["run_uuid"]))
                status = self._status(row)
                if self._last is None or grew or status.state != self._last.status.state:
                    self._last = self._record(row, status, _config(database, str(row["run_uuid"])))
        except FileNotFoundError as error:
            raise UnreadableRun(
                self.path, told("{path} is gone: the database was there and is removed", path=self.path)
            ) from error
        except sqlite3.Error as error:
            self._reset()  # it may have been read only partly
            raise UnreadableRun(
                self.path, told("{file} cannot be read as a database of MLflow: {why}", file=self.file, why=error)
            ) from error
        return self._last

    def files(self) -> tuple[Path, ...]:
        """The database and its write-ahead log."""
        return files_of(self.file)

    def name(self) -> str:
        """Empty: the run's name is in the database."""
        return ""

    def sample_index(self) -> None:
        """Nothing: MLflow keeps no samples."""

    def samples_of(self, index: None) -> Samples:
        """No samples."""
        return Samples()

    def _record(self, row: Row, status: Status, config: Row) -> Recording:
        return Recording(
            path=self.path,
            sources=(Source("mlflow", self.path),),
            run_id=str(row["run_uuid"]),
            name=str(row["name"] or row["run_uuid"]),
            tags=self._columns.series(),
            config=config,
            status=status,
            created=seconds(row["start_time"]),
            malformed=self._misfits,
        )

    def _read(self, database: sqlite3.Connection, run: str) -> bool:
        inode = self.file.stat().st_ino
        (newest,) = database.execute("SELECT max(rowid) FROM metrics").fetchone()
        if self._inode not in (None, inode) or (newest or 0) < self._last_row:
            self._reset()
        self._inode, before = inode, self._last_row
        query = "SELECT rowid, key, value, timestamp, step, is_nan FROM metrics WHERE run_uuid = ? AND rowid > ?"
        for number, *cells in database.execute(f"{query} ORDER BY rowid LIMIT ?", (run, before, rows_of_a_poll())):
            self._last_row = number
            self._take(*cells)
        return self._last_row != before

    def _take(self, tag: Any, value: Any, moment: Any, step: Any, is_nan: Any) -> None:
        whole, stored = as_whole(step), as_number(value)
        if whole is None or stored is None:
            self._misfits += 1
            return
        self._columns.add(str(tag), whole, _value(stored, bool(is_nan)), (as_number(moment) or 0.0) * MILLISECOND)
        self._last_step = max(whole, self._last_step or 0)

    def _status(self, row: Row) -> Status:
        state = _STATES.get(str(row["status"]), "unknown")
        return Status(state=state, step=self._last_step, last_written=last_written(self.file))


def _file_of(path: Path) -> Path:
    """The database that contains the run at a path."""
    return path if path.is_file() else path.parent


def _run_of(path: Path, database: sqlite3.Connection) -> Row:
    """The row of the run at a path, or of the only run if the path is the database itself. Raises UnreadableRun."""
    file = _file_of(path)
    query = "SELECT run_uuid, name, status, start_time FROM runs WHERE lifecycle_stage = 'active'"
    named, number = (" AND run_uuid = ?", (path.name,)) if path != file else ("", ())
    rows = database.execute(query + named, number).fetchall()
    if len(rows) != 1:
        raise UnreadableRun(
            path, told("{file} holds {count} runs; open one of them", file=file, count=len(rows) or told("no"))
        )
    return dict(zip(("run_uuid", "name", "status", "start_time"), rows[0], strict=True))


def _config(database: sqlite3.Connection, run: str) -> Row:
    found = database.execute("SELECT key, value FROM params WHERE run_uuid = ?", (run,))
    return {str(key): parse_parameter(value) for key, value in found}


def seconds(milliseconds: Any) -> float | None:
    """An MLflow timestamp in seconds since the epoch; None if there is none."""
    number = as_number(milliseconds)
    return number * MILLISECOND if number else None


def _value(stored: float, is_nan: bool) -> float:
    """The logged number: MLflow stores NaN as 0 with a flag, and infinity as the largest float."""
    if is_nan:
        return math.nan
    return math.copysign(math.inf, stored) if abs(stored) >= LARGEST_FLOAT else float(stored)


def parse_parameter(text: Any) -> Any:
    """A parameter's original value, which MLflow stores as text."""
    words = {"True": True, "False": False, "None": None}
    if text in words:
        return words[text]
    try:
        return parse_json(text)
    except (AttributeError, ValueError):
        return text
