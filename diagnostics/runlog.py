"""The run log: the files of one training's run directory and their append-only writer.

Layout, relative to the run directory (an API that other programs may read):

    run.json        immutable: schema_version, run_id, name, algorithm, task, created, config, versions, parent
    status.json     replaced atomically: state, step, total, heartbeat, host, boot_id, pid, started, error
    events.jsonl    one line per logged step: {"step", "time", "metrics", "histograms"}
    samples.jsonl   one line per sampled completion: {"step", "query", "response", "score", "rewards", ...}
    console.log     what the process printed

NaN and ±Infinity are written as the JSON constants NaN, Infinity and -Infinity: here a NaN is the evidence.
"""

import json
import math
import threading
import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from importlib import metadata
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import orjson

from diagnostics.processes import ProcessIdentity

SCHEMA_VERSION = 1
RUN_FILE = "run.json"
STATUS_FILE = "status.json"
EVENTS_FILE = "events.jsonl"
SAMPLES_FILE = "samples.jsonl"
CONSOLE_FILE = "console.log"
CHECKPOINTS_FOLDER = "checkpoints"

STATES = ("queued", "starting", "running", "finished", "stopped", "failed")
ENDED_STATES = frozenset({"finished", "stopped", "failed"})
HEARTBEAT_SECONDS = 5.0
VERSIONED_PACKAGES = ("rlvitals", "torch", "transformers", "accelerate", "numpy")


class RunLogError(Exception):
    """A run directory cannot be claimed or written; the message says what was tried and what to do."""


class RunLog:
    """Writes one run directory. Every call to `log` is on disk before it returns, so a killed process loses no step.

    `config` is flat and uses TRL's argument names; `total` is the number of planned steps. A daemon thread refreshes
    the heartbeat, so that a step of ten minutes does not look like a dead process.

    Raises RunLogError when the directory holds a run already or cannot be written.
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
    ) -> None:
        self.directory = Path(directory)
        self.run_id = uuid.uuid4().hex[:12]
        self._claim(name or self.directory.name, algorithm, task, dict(config or {}), parent)
        self._status: dict[str, Any] = {
            "schema_version": SCHEMA_VERSION,
            "state": "starting",
            "step": None,
            "total": total,
            **asdict(ProcessIdentity.current()),
            "error": None,
        }
        self._events = (self.directory / EVENTS_FILE).open("ab", buffering=0)
        self._samples = (self.directory / SAMPLES_FILE).open("ab", buffering=0)
        self._lock = threading.Lock()
        self._closed = threading.Event()
        self.heartbeat()
        threading.Thread(target=self._beat, name="rlvitals-heartbeat", daemon=True).start()

    def log(
        self,
        step: int,
        metrics: Mapping[str, float],
        samples: Sequence[Mapping[str, Any]] | None = None,
        histograms: Mapping[str, Any] | None = None,
    ) -> None:
        """Append one logged step. Samples are written first, so that a step that is visible has its samples."""
        if samples:
            self._samples.write(b"".join(encode({"step": step, **sample}) for sample in samples))
        row: dict[str, Any] = {"step": step, "time": time.time(), "metrics": dict(metrics)}
        if histograms:
            row["histograms"] = dict(histograms)
        self._events.write(encode(row))
        self._update(state="running", step=step)

    def heartbeat(self) -> None:
        """Say in status.json that the process lives, without a step."""
        self._update()

    def close(self, state: str = "finished", error: str | None = None) -> None:
        """Write the final state ("finished", "stopped" or "failed") and end the heartbeat. Later calls do nothing."""
        if state not in ENDED_STATES:
            raise ValueError(f"a run ends as one of {sorted(ENDED_STATES)}, not as {state!r}")
        if self._closed.is_set():
            return
        self._closed.set()
        self._update(state=state, error=error)
        self._events.close()
        self._samples.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End as `finished`, or as `failed` with the exception in words; the exception goes on."""
        if error is None:
            self.close()
        else:
            self.close("failed", f"{type(error).__name__}: {error}")

    def _claim(self, name: str, algorithm: str, task: str, config: dict[str, Any], parent: str | None) -> None:
        description = {
            "schema_version": SCHEMA_VERSION,
            "run_id": self.run_id,
            "name": name,
            "algorithm": algorithm,
            "task": task,
            "created": time.time(),
            "config": config,
            "versions": installed_versions(),
            "parent": parent,
        }
        try:
            self.directory.mkdir(parents=True, exist_ok=True)
            with (self.directory / RUN_FILE).open("xb") as file:  # "x": two processes cannot claim one folder
                file.write(encode(description))
        except FileExistsError as error:
            raise RunLogError(f"{self.directory} holds a run already; choose another run_dir") from error
        except OSError as error:
            raise RunLogError(f"cannot write a run to {self.directory}: {error.strerror}") from error

    def _update(self, **changes: Any) -> None:
        with self._lock:
            self._status |= {**changes, "heartbeat": time.time()}
            replace_file(self.directory / STATUS_FILE, encode(self._status))

    def _beat(self) -> None:
        while not self._closed.wait(HEARTBEAT_SECONDS):
            with self._lock:
                if self._closed.is_set():
                    return
                self._status["heartbeat"] = time.time()
                replace_file(self.directory / STATUS_FILE, encode(self._status))


def encode(row: Mapping[str, Any]) -> bytes:
    """One row as a JSON line. orjson is ten times faster but writes NaN as null, so it gets the finite rows only."""
    if _is_finite(row):
        return orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE | orjson.OPT_SERIALIZE_NUMPY)
    return json.dumps(row, ensure_ascii=False, default=_plain).encode() + b"\n"


def replace_file(path: Path, content: bytes) -> None:
    """Replace a file so that a reader sees the old content or the new, never a part."""
    temporary = path.with_name(path.name + ".tmp")
    temporary.write_bytes(content)
    temporary.replace(path)


def installed_versions() -> dict[str, str]:
    """The versions of the packages that decide what a run computes, without importing them."""
    found = {}
    for package in VERSIONED_PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return found


def _is_finite(value: Any) -> bool:
    if isinstance(value, Mapping):
        return all(_is_finite(item) for item in value.values())
    if isinstance(value, list | tuple):
        return all(_is_finite(item) for item in value)
    if isinstance(value, str | int | None):
        return True
    if hasattr(value, "tolist"):
        return _is_finite(value.tolist())
    return not isinstance(value, float) or math.isfinite(value)


def _plain(value: Any) -> Any:
    return value.tolist() if hasattr(value, "tolist") else str(value)
