"""Reads SwanLab's local files: `run-ID.swanlab`, W&B's framing around SwanLab's own messages.

Field numbers are those of SwanLab 0.10's `record.proto`; swanlab itself is not needed.
"""

import struct
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from diagnostics.foreign_files import read_text
from diagnostics.foreign_files.folders import files_in
from diagnostics.model.recording import Recording, Source
from diagnostics.model.samples import Samples
from diagnostics.model.status import Status
from diagnostics.readers.base import RunRef, UnreadableRun
from diagnostics.readers.files.protobuf import FIXED64, VARINT, signed, spans, varint
from diagnostics.readers.liveness import state_of, time_last_written
from diagnostics.readers.rows import AXES, Rows
from diagnostics.readers.wandb.records import WandbRecords
from diagnostics.readers.wandb.settings_file import CONFIG, settings_in
from diagnostics.told import told

FILES = "run-*.swanlab"
MAGIC = b":SWL"
REQUIREMENTS = "requirements.txt"
# Record
_START, _FINISH, _COLUMN, _SCALAR = 10, 11, 12, 13
# StartRecord, FinishRecord
_NAME, _STARTED_AT = 4, 12
_STATE = 1
# ColumnRecord
_COLUMN_CLASS, _COLUMN_KEY = 1, 3
_SYSTEM_CLASS = 2
# ScalarRecord, ScalarValue
_KEY, _STEP, _TIME, _VALUE = 1, 2, 4, 5
_NUMBER = 1
# Timestamp
_SECONDS, _NANOS = 1, 2

_NANOSECOND = 1e-9
_DOUBLE = struct.Struct("<d")
_STATES = {0: "running", 1: "finished", 2: "failed", 3: "stopped"}
_Message = dict[int, Any]


def runs_in(folder: Path) -> tuple[RunRef, ...]:
    """The folder, if it contains such a file."""
    file = next(iter(files_in(folder, FILES)), None)
    return (RunRef(folder, "swanlab", file.stem.removeprefix("run-")),) if file else ()


def start_time(path: Path) -> float | None:
    """When the run began, according to the first records of its file."""
    file = next(iter(files_in(path, FILES)), None)
    for payload in WandbRecords(file, MAGIC).payloads() if file else ():
        try:
            start = _submessage(_message(payload), _START)
        except ValueError:
            continue
        if start:
            return _seconds(start.get(_STARTED_AT))
    return None


class Reader:
    """Follows one run."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = next(iter(files_in(path, FILES)), path)
        self._log = _Log(self._file)
        self._last: Recording | None = None

    def refresh(self) -> Recording:
        """The run's current Recording; the same object as the last call if nothing changed. Raises UnreadableRun."""
        if not self._file.is_file():
            raise UnreadableRun(
                self.path, told("{path} is gone: the .swanlab file was there and has been removed", path=self.path)
            )
        if self._log.records.tail.was_replaced:
            self._log, self._last = _Log(self._file), None
        grew = self._log.read()
        if not self._log.records.has_header:
            raise UnreadableRun(
                self.path, told("{file} does not begin as a file of SwanLab does, with :SWL", file=self._file)
            )
        status = self._log.status(self._file.stat().st_mtime, time.time())
        if self._last is None or grew or status != self._last.status:
            self._last = self._record(status)
        return self._last

    def files(self) -> tuple[Path, ...]:
        """The log, its folder, and the files beside it that are read at once."""
        beside = (self._file.parent / "files" / name for name in (CONFIG, REQUIREMENTS))
        return (self._file, self._file.parent, *beside)

    def name(self) -> str:
        """Empty: the run's name is in its log."""
        return ""

    def sample_index(self) -> None:
        """Empty: what SwanLab logs besides numbers is not read."""

    def samples_of(self, index: None) -> Samples:
        """No samples."""
        return Samples()

    def _record(self, status: Status) -> Recording:
        log, folder = self._log, self._file.parent / "files"
        run_id = self._file.stem.removeprefix("run-")
        return Recording(
            path=self.path,
            sources=(Source("swanlab", self.path),),
            run_id=run_id,
            name=log.name or run_id,
            tags=log.rows.columns.series(),
            config=settings_in(folder / CONFIG),
            text=_texts(folder / REQUIREMENTS),
            status=status,
            created=log.started,
            malformed=log.records.malformed + log.misfits,
            notes=tuple(log.records.tail.notes()),
        )


class _Log:
    """What was read of one file so far."""

    def __init__(self, file: Path) -> None:
        self.records = WandbRecords(file, MAGIC)
        self.rows = Rows()
        self.misfits = 0
        self.name = ""
        self.started: float | None = None
        self._state: int | None = None
        self._newest: float | None = None
        self._of_machine: set[str] = set()

    def read(self) -> bool:
        """Read what was appended; False if nothing was."""
        before = self.records.tail.offset
        for payload in self.records.payloads():
            try:
                self._take(_message(payload))
            except ValueError:
                self.misfits += 1
        return self.records.tail.offset != before

    def status(self, written: float, now: float) -> Status:
        """Ended only if the run says so; silent if it was not written for a while."""
        written = time_last_written(self._newest or self.started, written)
        state = state_of(written, now) if self._state is None else _STATES.get(self._state, "unknown")
        return Status(state=state, step=self.rows.last_step, last_written=written)

    def _take(self, record: _Message) -> None:
        if scalar := _submessage(record, _SCALAR):
            self._take_scalar(scalar)
        elif column := _submessage(record, _COLUMN):
            if column.get(_COLUMN_CLASS) == _SYSTEM_CLASS:
                self._of_machine.add(_text(column.get(_COLUMN_KEY)))
        elif start := _submessage(record, _START):
            self.name, self.started = _text(start.get(_NAME)), _seconds(start.get(_STARTED_AT))
        elif _FINISH in record:
            self._state = (_submessage(record, _FINISH) or {}).get(_STATE, 0)

    def _take_scalar(self, scalar: _Message) -> None:
        name, value = _text(scalar.get(_KEY)), _message(scalar.get(_VALUE, b""))
        step = scalar.get(_STEP, 0)
        number = value.get(_NUMBER, 0.0)  # a zero is omitted
        if not name or not isinstance(step, int) or not isinstance(number, float):
            raise ValueError("a scalar has no name, step or value")
        if name in self._of_machine:
            return
        moment = _seconds(scalar.get(_TIME))
        if name not in AXES:
            self.rows.columns.add(name, step, number, moment or 0.0)
        self.rows.last_step, self._newest = step, moment


def _message(content: Any) -> _Message:
    """The fields of a message by number; the last of several with one number counts. Raises WireError if malformed."""
    if not isinstance(content, bytes):
        raise ValueError("a field holds no message")
    return dict(_typed_fields(content))


def _typed_fields(content: bytes) -> Iterator[tuple[int, Any]]:
    for number, wire_type, start, end in spans(content, 0, len(content)):
        read: Callable[[bytes], Any] = _READ.get(wire_type, bytes)
        yield number, read(content[start:end])


def _submessage(message: Mapping[int, Any], number: int) -> _Message | None:
    return _message(message[number]) if number in message else None


def _text(content: Any) -> str:
    return content.decode("utf-8", "replace") if isinstance(content, bytes) else ""


def _seconds(timestamp: Any) -> float | None:
    """A Timestamp message in seconds since the epoch."""
    if not isinstance(timestamp, bytes):
        return None
    found = _message(timestamp)
    seconds, nanos = found.get(_SECONDS, 0), found.get(_NANOS, 0)
    return seconds + nanos * _NANOSECOND if isinstance(seconds, int) and isinstance(nanos, int) else None


def _texts(file: Path) -> dict[str, str]:
    """Files beside the log that name the producer's version."""
    try:
        return {REQUIREMENTS: read_text(file, errors="replace")}
    except OSError:
        return {}


_READ: Mapping[int, Callable[[bytes], Any]] = {
    VARINT: lambda content: signed(varint(content, 0)[0]),
    FIXED64: lambda content: _DOUBLE.unpack(content)[0],
}
