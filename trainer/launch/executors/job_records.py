"""The jobs that this user's executors started: a file each in the user's data folder, keyed by the run's folder.

Nothing of it stands in a run. The folder of a record is the job's own: what the executor writes lies there as well.
"""

import hashlib
import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Self

from diagnostics.foreign_files.documents import read_json
from diagnostics.runlog.writer import replace_file
from diagnostics.user_data import user_data_folder
from trainer.launch.executors.executor import ExecutorError, Handle

_FILE = "job.json"
_SCHEMA_VERSION = 1
_DIGITS = 16  # of the digest that names a record's folder


@dataclass(frozen=True, slots=True)
class JobRecord:
    """The newest job that trains into a run's folder."""

    handle: Handle
    run_dir: Path
    submitted: float
    """Seconds since the epoch."""
    command: Sequence[str] = ()
    resources: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def read(cls, folder: Path) -> Self:
        """The record in a job's folder. Raises ExecutorError if it is none."""
        path = folder / _FILE
        try:
            row = read_json(path)
            handle = Handle(**{name: str(row["handle"][name]) for name in ("executor", "job_id", "cluster", "token")})
            command = tuple(map(str, row["command"]))
            return cls(handle, Path(row["run_dir"]), float(row["submitted"]), command, dict(row["resources"]))
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ExecutorError(f"{path} is no record of a job ({error}); remove {folder} to forget it") from error

    def save(self) -> None:
        """Write it in place of the folder's last one. Raises ExecutorError."""
        path = job_folder(self.run_dir) / _FILE
        row = {"schema_version": _SCHEMA_VERSION, **asdict(self), "run_dir": str(self.run_dir)}
        try:
            replace_file(path, json.dumps(row, indent=1).encode())
        except OSError as error:
            raise ExecutorError(f"{path} cannot be written: {error.strerror}") from error


def new_record(handle: Handle, run_dir: Path, command: Sequence[str], resources: Mapping[str, Any]) -> JobRecord:
    """The record of a job that was started just now."""
    return JobRecord(handle, _absolute(run_dir), time.time(), tuple(command), dict(resources))


def job_folder(run_dir: Path) -> Path:
    """The folder of the jobs that train into this one; it need not exist."""
    digest = hashlib.sha256(os.fsencode(_absolute(run_dir))).hexdigest()
    return _home() / digest[:_DIGITS]


def made_job_folder(run_dir: Path) -> Path:
    """The same, made for its user alone. Raises ExecutorError."""
    folder = job_folder(run_dir)
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise ExecutorError(f"{folder} cannot be made: {error.strerror}") from error
    return folder


def job_of(run_dir: Path) -> JobRecord | None:
    """The newest job that trains into this folder, if an executor started one. Raises ExecutorError."""
    folder = job_folder(run_dir)
    return JobRecord.read(folder) if (folder / _FILE).exists() else None


def jobs_below(path: Path) -> Iterator[JobRecord]:
    """The jobs that train into this folder or below it, oldest first; what is no record is left out."""
    root = _absolute(path)
    found = [record for record in _all() if record.run_dir == root or root in record.run_dir.parents]
    yield from sorted(found, key=lambda record: record.submitted)


def _all() -> Iterator[JobRecord]:
    for path in sorted(_home().glob(f"*/{_FILE}")):
        try:
            yield JobRecord.read(path.parent)
        except ExecutorError:
            continue


def _home() -> Path:
    return user_data_folder() / "jobs"


def _absolute(path: Path) -> Path:
    return path.expanduser().resolve()
