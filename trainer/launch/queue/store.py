"""The queue's file: jobs and slots in SQLite, in the user's data folder. Every change is one transaction."""

import os
import socket
import sqlite3
import stat
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import orjson

from diagnostics.runlog.process import ProcessIdentity
from diagnostics.user_data import user_data_folder
from trainer.launch.error import LaunchError
from trainer.launch.queue.file_lock import locked
from trainer.launch.queue.job import ENDED, Job, Spec, State
from trainer.launch.queue.slots import Slots

_VERSION = 1
_PATIENCE = 20.0  # seconds to wait for another process that writes
_KEPT = 1_000  # ended jobs; older ones are forgotten
_OTHERS_MAY_WRITE = 0o022
_SCHEMA = """
PRAGMA journal_mode = WAL;
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS jobs (
    id INTEGER PRIMARY KEY AUTOINCREMENT, spec BLOB NOT NULL, state TEXT NOT NULL, position INTEGER NOT NULL,
    attempts INTEGER NOT NULL, created REAL NOT NULL, began REAL, ended REAL, slot TEXT, process BLOB,
    exit_code INTEGER, detail TEXT NOT NULL, wish TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS slots (kind TEXT PRIMARY KEY, count INTEGER NOT NULL) WITHOUT ROWID;
PRAGMA user_version = 1;
COMMIT;
"""
_COLUMNS = "id, spec, state, position, attempts, created, began, ended, slot, process, exit_code, detail, wish"
_RUNNING = "state IN ('running', 'stopping')"
_HAS_ENDED = f"state IN ({', '.join(repr(str(state)) for state in ENDED)})"


@dataclass(frozen=True, slots=True)
class Queue:
    """The queue in one folder. Every question reads it anew, so that processes share it."""

    folder: Path

    @classmethod
    def of_user(cls) -> "Queue":
        """That of the user who runs this process, on this machine: a data folder may be shared between machines."""
        return cls(user_data_folder() / "queue" / socket.gethostname())

    @property
    def place(self) -> Path:
        """The SQLite file."""
        return self.folder / "queue.sqlite"

    def jobs(self) -> list[Job]:
        """All jobs: those that run, the queued ones in their order, and the ended ones, the newest first."""
        order = (
            "CASE WHEN state IN ('running', 'stopping') THEN 0 WHEN state = 'queued' THEN 1 ELSE 2 END, "
            "CASE WHEN state = 'queued' THEN position ELSE 0 END, "
            "CASE WHEN state IN ('running', 'stopping') THEN began ELSE -COALESCE(ended, 0) END, id"
        )
        if not self.place.exists():
            return []
        with self._database() as database:
            return [_job(row) for row in database.execute(f"SELECT {_COLUMNS} FROM jobs ORDER BY {order}")]

    def job(self, number: int) -> Job:
        """One job. Raises LaunchError where there is none of this number."""
        with self._database() as database:
            return _one(database, number)

    def slots(self) -> Slots:
        """How many jobs may run at once."""
        with self._database() as database:
            return _slots(database)

    def set_slots(self, cpu: int | None, gpu: int | None) -> Slots:
        """Change the number of slots; None leaves one as it is. What runs goes on."""
        with self._change() as database:
            for kind, count in (("cpu", cpu), ("gpu", gpu)):
                if count is not None:
                    database.execute("INSERT OR REPLACE INTO slots VALUES (?, ?)", (kind, count))
            return _slots(database)

    def add(self, specs: Sequence[Spec]) -> list[Job]:
        """Put jobs at the end, all or none. Raises LaunchError where no slot could ever take one."""
        with self._change() as database:
            slots = _slots(database)
            numbers = []
            for spec in specs:
                if not spec.executor:
                    slots.check(spec.asks)
                cursor = database.execute(
                    "INSERT INTO jobs (spec, state, position, attempts, created, detail, wish) VALUES "
                    "(?, 'queued', (SELECT COALESCE(MAX(position), 0) + 1 FROM jobs), 0, ?, '', '')",
                    (spec.to_json(), time.time()),
                )
                numbers.append(cursor.lastrowid)
            database.execute(
                f"DELETE FROM jobs WHERE {_HAS_ENDED} AND id NOT IN "
                f"(SELECT id FROM jobs WHERE {_HAS_ENDED} ORDER BY ended DESC LIMIT {_KEPT})"
            )
            return [_one(database, number or 0) for number in numbers]

    def claim(self, number: int, slot: str, process: ProcessIdentity) -> bool:
        """Note that this process takes up a queued job in this slot; False where either is taken already."""
        with self._change() as database:
            changed = database.execute(
                "UPDATE jobs SET state = 'running', attempts = attempts + 1, began = ?, ended = NULL, slot = ?, "
                "process = ?, exit_code = NULL, detail = '', wish = '' WHERE id = ? AND state = 'queued' "
                f"AND NOT EXISTS (SELECT 1 FROM jobs WHERE slot = ? AND {_RUNNING})",
                (time.time(), slot, orjson.dumps(asdict(process)), number, slot),
            )
            return changed.rowcount == 1

    def end(self, job: Job, state: State, detail: str, exit_code: int | None = None) -> bool:
        """Note how the job's attempt ended; False where that is noted already, or it runs anew."""
        with self._change() as database:
            changed = database.execute(
                f"UPDATE jobs SET state = ?, ended = ?, exit_code = ?, detail = ? WHERE id = ? AND attempts = ? "
                f"AND {_RUNNING}",
                (str(state), time.time(), exit_code, detail, job.id, job.attempts),
            )
            return changed.rowcount == 1

    def give_up(self, number: int, state: State, detail: str) -> bool:
        """End a job that is still queued; False where it is not."""
        with self._change() as database:
            changed = database.execute(
                "UPDATE jobs SET state = ?, ended = ?, detail = ? WHERE id = ? AND state = 'queued'",
                (str(state), time.time(), detail, number),
            )
            return changed.rowcount == 1

    def wish(self, job: Job, wish: str) -> bool:
        """Note that the job is to stop, or to be killed; "": neither. False where it does not run any more."""
        state = State.STOPPING if wish else State.RUNNING
        with self._change() as database:
            changed = database.execute(
                f"UPDATE jobs SET state = ?, wish = ? WHERE id = ? AND attempts = ? AND {_RUNNING}",
                (str(state), wish, job.id, job.attempts),
            )
            return changed.rowcount == 1

    def requeue(self, number: int) -> Job:
        """Put an ended job at the end of the queue again. Raises LaunchError where it has not ended."""
        with self._change() as database:
            changed = database.execute(
                f"UPDATE jobs SET state = 'queued', position = (SELECT MAX(position) + 1 FROM jobs), ended = NULL, "
                f"slot = NULL, process = NULL, wish = '' WHERE id = ? AND {_HAS_ENDED}",
                (number,),
            )
            job = _one(database, number)
            if changed.rowcount != 1:
                raise LaunchError(f"job {number} is {job.state}; only one that has ended can be tried again")
            return job

    def move(self, number: int, place: int) -> list[Job]:
        """Give a queued job the place, 1 for the first; returns the queued jobs. Raises LaunchError if it is not."""
        with self._change() as database:
            queued = _queued(database)
            moved = next((job for job in queued if job.id == number), None)
            if moved is None:
                raise LaunchError(f"job {number} is {_one(database, number).state}; only a queued job can be moved")
            queued.remove(moved)
            queued.insert(max(0, place - 1), moved)
            # The positions stay those that the queued jobs had, so that a later one still comes after all of them.
            positions = sorted(job.position for job in queued)
            database.executemany(
                "UPDATE jobs SET position = ? WHERE id = ?",
                [(position, job.id) for position, job in zip(positions, queued, strict=True)],
            )
            return _queued(database)

    def forget(self, number: int) -> None:
        """Remove a job that has ended."""
        with self._change() as database:
            database.execute(f"DELETE FROM jobs WHERE id = ? AND {_HAS_ENDED}", (number,))

    @contextmanager
    def _change(self) -> Iterator[sqlite3.Connection]:
        with self._database() as database, database:
            database.execute("BEGIN IMMEDIATE")
            yield database

    @contextmanager
    def _database(self) -> Iterator[sqlite3.Connection]:
        """The file, made where there is none yet, readable by its user alone: what stands in it is executed."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            descriptor = os.open(self.place, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
            try:
                _check_private(self.place, os.fstat(descriptor))
            finally:
                os.close(descriptor)
            with closing(sqlite3.connect(self.place, timeout=_PATIENCE, isolation_level=None)) as database:
                self._prepare(database)
                yield database
        except OSError as error:
            raise LaunchError(f"the queue cannot be kept in {self.place}: {error.strerror}") from error
        except sqlite3.Error as error:
            raise LaunchError(
                f"the queue in {self.place} cannot be used: {error}; move the file away to begin a new one"
            ) from error

    def _prepare(self, database: sqlite3.Connection) -> None:
        (version,) = database.execute("PRAGMA user_version").fetchone()
        if version > _VERSION:
            raise LaunchError(f"the queue in {self.place} was written by a newer rlvitals; update this one")
        if version < _VERSION:
            with locked(self.folder / "schema.lock"):
                database.executescript(_SCHEMA)


def _check_private(place: Path, found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & _OTHERS_MAY_WRITE:
        raise LaunchError(f"{place} is not used: others may write it, and what stands in it would run; run chmod 600")


def _slots(database: sqlite3.Connection) -> Slots:
    chosen = dict(database.execute("SELECT kind, count FROM slots"))
    usual = Slots.of_machine()
    return Slots(chosen.get("cpu", usual.cpu), chosen.get("gpu", usual.gpu))


def _queued(database: sqlite3.Connection) -> list[Job]:
    rows = database.execute(f"SELECT {_COLUMNS} FROM jobs WHERE state = 'queued' ORDER BY position")
    return [_job(row) for row in rows]


def _one(database: sqlite3.Connection, number: int) -> Job:
    row = database.execute(f"SELECT {_COLUMNS} FROM jobs WHERE id = ?", (number,)).fetchone()
    if row is None:
        raise LaunchError(f"the queue has no job {number}; list them with: rlvitals queue")
    return _job(row)


def _job(row: Sequence[Any]) -> Job:
    number, spec, state, position, attempts, created, began, ended, slot, process, code, detail, wish = row
    try:
        what, where = Spec.from_json(spec), State(state)
        identity = ProcessIdentity(**orjson.loads(process)) if process else None
    except (ValueError, TypeError, KeyError) as error:
        raise LaunchError(
            f"job {number} of the queue cannot be read ({error!r}): the file was altered; move it away for a new one"
        ) from error
    return Job(number, what, where, position, attempts, created, began, ended, slot, identity, code, detail, wish)
