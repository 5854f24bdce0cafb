"""The run log: the files of one training's run directory and their append-only writer.

Layout, relative to the run directory (an API that other programs may read):

    run.json        immutable: schema_version, run_id, name, algorithm, task, created, config, versions, parent, fault,
                    and, where another trainer's names are logged, that trainer as producer: "trl"
    status.json     replaced atomically: state, step, total, heartbeat, host, boot_id, pid, started, error, device
                    ("cuda", "cpu", …) once it is known, and,
                    of a run that was resumed, resumed: [{"step", "time", "changes"}]
    events.jsonl    one line per logged step: {"step", "time", "metrics", "histograms"}; a histogram is
                    {"edges", "counts"} with one edge more than counts, and how many were "nan", "inf" or "-inf"
    samples.jsonl   one line per sampled completion: {"step", "query", "response", "score", "rewards", ...};
                    "split": "eval" for a held-out prompt, "followed": true for one that is answered again and again
    console.log     what the process printed
    process.json    while the process lives, and only it may read it: run_id, host, boot_id, pid, started; what it is
                    for stands in diagnostics.runlog.process_file

NaN and ±Infinity are written as the JSON constants NaN, Infinity and -Infinity: here a NaN is the evidence.
"""

import errno
import json
import math
import os
import socket
import threading
import time
import uuid
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import orjson

from diagnostics.runlog.line_file import LineFile
from diagnostics.runlog.process import ProcessIdentity
from diagnostics.runlog.process_file import ProcessFile
from diagnostics.runlog.records import (
    RUN_FILE,
    SCHEMA_VERSION,
    STATUS_FILE,
    RecordError,
    Resumption,
    RunRecord,
    StatusRecord,
)
from diagnostics.told import told

EVENTS_FILE = "events.jsonl"
SAMPLES_FILE = "samples.jsonl"
CONSOLE_FILE = "console.log"
CHECKPOINTS_FOLDER = "checkpoints"
BESIDE_OUTPUTS = "rlvitals"
"""The run directory that the callback writes into a trainer's output folder; the next ones there end in -2, -3, …"""

ENDED_STATES = frozenset({"finished", "stopped", "failed"})
PARENT_VARIABLE = "RLVITALS_PARENT"
"""Set for a script that is relaunched: the run_id of the run whose settings were changed."""
HEARTBEAT_SECONDS = 5.0
STATUS_SECONDS = 1.0
SECONDS_OF_SILENCE = 60.0
"""An older heartbeat means that a process on another machine, whose pid cannot be checked, no longer writes."""
BLOCK_BYTES = 4096
"""The space that even a small file takes on disk."""
VERSIONED_PACKAGES = ("rlvitals", "torch", "transformers", "accelerate", "numpy", "trl")


class RunLogError(Exception):
    """A run directory cannot be claimed or written; the message says what was tried and what to do."""


class RunLog:
    """Writes one run directory. Every `log` call is on disk before it returns, so a killed process loses no step.

    `config` is flat and uses TRL's argument names; `total` is the number of planned steps. A daemon thread refreshes
    the heartbeat, so that a step of ten minutes does not look like a dead process. `fault` is the truth about a run
    that was made sick on purpose, {"name", "onset_step", "changes"}: for judging a diagnosis, never for making one.
    `parent` is the run_id of the run that this one was relaunched from, by default what RLVITALS_PARENT names.
    `producer` is the trainer whose names the metrics and settings have, where that is not rlvitals' own: "trl".

    Raises RunLogError if the directory already holds a run or cannot be written.
    """

    def __init__(
        self,
        directory: str | Path,
        *,
        name: str = "",
        algorithm: str = "unknown",
        task: str = "",
        config: Mapping[str, Any] | None = None,
        total: int | None = None,
        parent: str | None = None,
        fault: Mapping[str, Any] | None = None,
        producer: str = "",
    ) -> None:
        self.directory = Path(directory)
        self.run_id = uuid.uuid4().hex[:12]
        self._claim(
            {
                "name": name or self.directory.name,
                "algorithm": algorithm,
                "task": task,
                "created": time.time(),
                "config": dict(config or {}),
                "versions": installed_versions(),
                "parent": parent or os.environ.get(PARENT_VARIABLE) or None,
                **({"fault": dict(fault)} if fault else {}),
                **({"producer": producer} if producer else {}),
            }
        )
        self._open(step=None, total=total, resumed=())

    @classmethod
    def resume(
        cls,
        directory: str | Path,
        *,
        step: int,
        total: int | None = None,
        changes: Mapping[str, Any] | None = None,
    ) -> Self:
        """Continue a run that has ended or died, from the step after `step`.

        Nothing already logged is changed: steps after `step` are logged a second time, and readers take the later one.
        `status.json` lists each resumption under `resumed`, with the options that changed.

        Raises RunLogError if the directory holds no run, or one that a live process still writes.
        """
        log = cls.__new__(cls)
        log.directory = Path(directory)
        try:
            log.run_id = RunRecord.read(log.directory).run_id
            status = StatusRecord.read(log.directory)
        except RecordError as error:
            raise RunLogError(
                told("{directory} holds no run that can go on: {error}", directory=log.directory, error=error)
            ) from error
        _check_not_elsewhere(log.directory, status)
        log._open(step, total, (*status.resumed, Resumption(step, time.time(), dict(changes or {}))))
        return log

    def _open(self, step: int | None, total: int | None, resumed: Sequence[Resumption]) -> None:
        process = ProcessIdentity.current()
        self._status: dict[str, Any] = {
            "schema_version": SCHEMA_VERSION,
            "state": "starting",
            "step": step,
            "total": total,
            **asdict(process),
            "error": None,
            **({"resumed": [asdict(beginning) for beginning in resumed]} if resumed else {}),
        }
        self._lock = threading.Lock()
        self._closed = threading.Event()
        try:
            self._events = LineFile(self.directory / EVENTS_FILE)
            self._samples = LineFile(self.directory / SAMPLES_FILE)
            self._process_file = ProcessFile(self.directory, self.run_id, process)
            self.heartbeat()
        except BlockingIOError as error:
            raise RunLogError(
                told("{directory} is still written by a living process; stop that one first", directory=self.directory)
            ) from error
        except OSError as error:
            raise RunLogError(
                told("cannot write a run to {directory}: {problem}", directory=self.directory, problem=error.strerror)
            ) from error
        threading.Thread(target=self._write_heartbeats, name="rlvitals-heartbeat", daemon=True).start()

    def log(
        self,
        step: int,
        metrics: Mapping[str, float],
        samples: Sequence[Mapping[str, Any]] | None = None,
        histograms: Mapping[str, Any] | None = None,
    ) -> None:
        """Append one logged step. Samples are written first, so that every visible step has its samples.

        Raises RunLogError as `check_in_place` does, soon after the directory is gone.
        """
        if samples:
            self._samples.append(b"".join(encode({"step": step, **sample}) for sample in samples))
        row: dict[str, Any] = {"step": step, "time": time.time(), "metrics": dict(metrics)}
        if histograms:
            row["histograms"] = dict(histograms)
        self._events.append(encode(row))
        self._note_step(step)

    def heartbeat(self) -> None:
        """Update the heartbeat in status.json without logging a step. Raises RunLogError as `check_in_place` does."""
        self._update()

    def note_device(self, device: str) -> None:
        """Note the kind of device that trains, such as "cuda" or "cpu". Raises RunLogError as `check_in_place` does."""
        self._update(device=device)

    def check_in_place(self) -> None:
        """Raises RunLogError where the directory no longer holds this run: it may hold another by now.

        Whoever writes into it by a path asks first.
        """
        if not self._events.is_in_place:
            raise RunLogError(
                told(
                    "{directory} no longer holds this run: it was removed or replaced while the run was written",
                    directory=self.directory,
                )
            )

    def close(self, state: str = "finished", error: str | None = None) -> None:
        """Write the final state ("finished", "stopped" or "failed") and stop the heartbeat. Later calls do nothing."""
        if state not in ENDED_STATES:
            raise ValueError(f"a run ends as one of {sorted(ENDED_STATES)}, not as {state!r}")
        if self._closed.is_set():
            return
        self._closed.set()
        with suppress(OSError, RunLogError):  # if not even the state can be written, the caller's error has to do
            self._update(state=state, error=error)
        self._process_file.close()
        self._events.close()
        self._samples.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close as `finished`, or as `failed` with the exception's text; the exception propagates."""
        if error is None:
            self.close()
        else:
            self.close("failed", f"{type(error).__name__}: {error}")

    def _claim(self, said: Mapping[str, Any]) -> None:
        """Write run.json, which holds this beside the schema and the run's id."""
        description = {"schema_version": SCHEMA_VERSION, "run_id": self.run_id, **said}
        try:
            self.directory.mkdir(parents=True, exist_ok=True)
            with (self.directory / RUN_FILE).open("xb") as file:  # "x": two processes cannot claim one folder
                file.write(encode(description))
        except FileExistsError as error:
            raise RunLogError(
                told("{directory} already holds a run; choose another run_dir", directory=self.directory)
            ) from error
        except OSError as error:
            raise RunLogError(
                told("cannot write a run to {directory}: {problem}", directory=self.directory, problem=error.strerror)
            ) from error

    def _note_step(self, step: int) -> None:
        """Record the step for status.json, which is rewritten at most once a second; the heartbeat writes the rest.

        Replacing a file costs ten times as much as appending a line; the newest step is always in the events.
        """
        if self._status["state"] != "running" or time.time() - self._status["heartbeat"] >= STATUS_SECONDS:
            self._update(state="running", step=step)
        else:
            self._status["step"] = step

    def _update(self, **changes: Any) -> None:
        with self._lock:
            self._replace_status(**changes)

    def _replace_status(self, **changes: Any) -> None:
        """Write status.json with these changes; the caller holds the lock."""
        self.check_in_place()
        self._status |= {**changes, "heartbeat": time.time()}
        replace_file(self.directory / STATUS_FILE, encode(self._status))

    def _write_heartbeats(self) -> None:
        while not self._closed.wait(HEARTBEAT_SECONDS):
            with self._lock:
                if self._closed.is_set():
                    return
                with suppress(OSError, RunLogError):  # the disk may have space again, or the folder be back
                    self._replace_status()


def encode(row: Mapping[str, Any]) -> bytes:
    """One row as a JSON line. orjson is ten times faster but writes NaN as null, so a line with a null is checked."""
    line = orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE | orjson.OPT_SERIALIZE_NUMPY)
    if b"null" not in line or _is_finite(row):
        return line
    return json.dumps(row, ensure_ascii=False, default=_json_value).encode() + b"\n"


def replace_file(path: Path, content: bytes) -> None:
    """Replace a file atomically: readers see the old or the new content, never a part.

    If the disk is full, a file of up to one block is overwritten in place, which needs no new space, so that a run's
    state can still say that the disk is full. Raises OSError if neither works.
    """
    temporary = path.with_name(path.name + ".tmp")
    try:
        temporary.write_bytes(content)
        temporary.replace(path)
    except OSError as error:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        if error.errno != errno.ENOSPC or not path.exists() or len(content) > BLOCK_BYTES:
            raise
        with path.open("r+b") as file:
            file.write(content)
            file.truncate()


def _check_not_elsewhere(directory: Path, status: StatusRecord) -> None:
    """Refuse a run with a recent heartbeat from another machine, where a file lock may not reach."""
    host = status.process.host if status.process else socket.gethostname()
    is_elsewhere = host != socket.gethostname() and status.state not in ENDED_STATES
    if is_elsewhere and time.time() - (status.heartbeat or 0.0) < SECONDS_OF_SILENCE:
        raise RunLogError(
            told("{directory} is still written on {host}; stop it there first", directory=directory, host=host)
        )


def installed_versions() -> dict[str, str]:
    """The versions of the packages that affect a run's results, without importing them."""
    from importlib import metadata  # noqa: PLC0415 - brings the email package; readers import this module for its names

    found = {}
    for package in VERSIONED_PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return found


def _is_finite(value: Any) -> bool:
    if type(value) is float:
        return math.isfinite(value)
    if isinstance(value, Mapping):
        return all(_is_finite(item) for item in value.values())
    if isinstance(value, list | tuple):
        return all(_is_finite(item) for item in value)
    if isinstance(value, str | int | None):
        return True
    if hasattr(value, "tolist"):
        return _is_finite(value.tolist())
    return not isinstance(value, float) or math.isfinite(value)


def _json_value(value: Any) -> Any:
    return value.tolist() if hasattr(value, "tolist") else str(value)
