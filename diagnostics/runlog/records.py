"""The typed contents of a run directory's run.json and status.json; a value of another type counts as missing."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from diagnostics.foreign_files.documents import read_json
from diagnostics.runlog.process import LARGEST_PID, ProcessIdentity

RUN_FILE = "run.json"
STATUS_FILE = "status.json"
SCHEMA_VERSION = 1
STATES = ("queued", "starting", "running", "finished", "stopped", "failed")
LARGEST_WHOLE = 2**63 - 1
LATEST_MOMENT = 253_000_000_000.0  # the year 9987: datetime ends at 9999
LONGEST_QUOTE = 40  # characters of a value of the wrong type

Row = Mapping[str, Any]


class RecordError(Exception):
    """A file of a run directory holds no record at all; the message is a clause that begins with its name."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A field whose value has the wrong type."""

    file: str
    name: str
    found: Any
    wanted: str

    def __str__(self) -> str:
        found = json.dumps(self.found)
        quote = found if len(found) <= LONGEST_QUOTE else f"{found[:LONGEST_QUOTE]}…"
        return f"{self.name} in {self.file} is {quote}, not {self.wanted}; it counts as missing"


@dataclass(frozen=True, slots=True)
class RunRecord:
    """What run.json says. None, "" or an empty mapping stands for what is missing."""

    run_id: str
    schema_version: int = SCHEMA_VERSION
    name: str = ""
    algorithm: str = ""
    task: str = ""
    created: float | None = None
    config: Row | None = None
    versions: Row = field(default_factory=dict)
    parent: str | None = None
    fault: Row = field(default_factory=dict)
    producer: str = ""  # whose names are logged; rlvitals' own where it does not say
    problems: tuple[Problem, ...] = ()

    @classmethod
    def read(cls, directory: Path) -> Self:
        """The record of a run directory. Raises RecordError if run.json is missing, no JSON object or has no run_id."""
        fields = _Fields(RUN_FILE, _object_in(directory / RUN_FILE))
        run_id = fields.text("run_id")
        if not run_id:
            wrong = next(iter(fields.problems), "it holds no run_id")
            raise RecordError(f"{RUN_FILE} is no run log of rlvitals: {wrong}")
        version = fields.whole("schema_version")
        return cls(
            run_id=run_id,
            schema_version=SCHEMA_VERSION if version is None else version,
            name=fields.text("name"),
            algorithm=fields.text("algorithm"),
            task=fields.text("task"),
            created=fields.moment("created"),
            config=fields.mapping("config"),
            versions=fields.mapping("versions") or {},
            parent=fields.text("parent") or None,
            fault=fields.mapping("fault") or {},
            producer=fields.text("producer"),
            problems=tuple(fields.problems),
        )


@dataclass(frozen=True, slots=True)
class Resumption:
    """One resumption: from the checkpoint of which step, when, and with which options changed."""

    step: int | None
    time: float | None
    changes: Row


@dataclass(frozen=True, slots=True)
class StatusRecord:
    """What status.json says; `process` is None unless the whole identity of the writer is there."""

    state: str = "unknown"
    step: int | None = None
    total: int | None = None
    heartbeat: float | None = None
    process: ProcessIdentity | None = None
    error: str | None = None
    device: str = ""
    resumed: tuple[Resumption, ...] = ()
    problems: tuple[Problem | RecordError, ...] = ()

    @classmethod
    def read(cls, directory: Path) -> Self:
        """The record of a run directory. Raises RecordError if status.json is missing or no JSON object."""
        fields = _Fields(STATUS_FILE, _object_in(directory / STATUS_FILE))
        return cls(
            state=fields.choice("state", STATES) or "unknown",
            step=fields.whole("step"),
            total=fields.whole("total"),
            heartbeat=fields.moment("heartbeat"),
            process=_process(fields),
            error=fields.text("error") or None,
            device=fields.text("device"),
            resumed=tuple(_resumption(row, fields) for row in fields.rows("resumed")),
            problems=tuple(fields.problems),
        )


def as_moment(value: Any) -> float | None:
    """A JSON value as seconds since the epoch; None if it is no moment that a calendar knows."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and 0 <= value <= LATEST_MOMENT else None


class _Fields:
    """The fields of one JSON object, each of the type that is asked for; null and absence are both missing."""

    def __init__(self, file: str, row: Row, problems: list[Problem] | None = None) -> None:
        self._file = file
        self._row = row
        self.problems: list[Problem] = [] if problems is None else problems

    def within(self, row: Row) -> "_Fields":
        """The fields of a row inside this object; problems are gathered in one list."""
        return _Fields(self._file, row, self.problems)

    def text(self, name: str) -> str:
        """Text, with lone surrogates, which UTF-8 cannot encode, replaced; "" where it is missing."""
        value = self._row.get(name)
        if isinstance(value, str):
            return value.encode(errors="replace").decode()
        self._complain(name, value, "a text")
        return ""

    def choice(self, name: str, known: Sequence[str]) -> str:
        """One of the known words."""
        value = self._row.get(name)
        if isinstance(value, str) and value in known:
            return value
        self._complain(name, value, f"one of {', '.join(known)}")
        return ""

    def whole(self, name: str, least: int = 0, most: int = LARGEST_WHOLE) -> int | None:
        """A whole number within these bounds."""
        value = self._row.get(name)
        if isinstance(value, int) and not isinstance(value, bool) and least <= value <= most:
            return value
        self._complain(name, value, f"a whole number from {least} on")
        return None

    def moment(self, name: str) -> float | None:
        """A moment in seconds since the epoch."""
        value = self._row.get(name)
        moment = as_moment(value)
        if moment is None:
            self._complain(name, value, "a moment in seconds since 1970")
        return moment

    def mapping(self, name: str) -> Row | None:
        """A JSON object."""
        value = self._row.get(name)
        if isinstance(value, dict):
            return value
        self._complain(name, value, "a JSON object")
        return None

    def rows(self, name: str) -> list[Row]:
        """A list of JSON objects; other items are left out."""
        value = self._row.get(name)
        if not isinstance(value, list):
            self._complain(name, value, "a list of JSON objects")
            return []
        for item in value:
            if not isinstance(item, dict):
                self._complain(name, [item], "a list of JSON objects")
        return [item for item in value if isinstance(item, dict)]

    def _complain(self, name: str, value: Any, wanted: str) -> None:
        if value is not None:
            self.problems.append(Problem(self._file, name, value, wanted))


def _object_in(file: Path) -> Row:
    try:
        found = read_json(file)
    except OSError as error:
        raise RecordError(f"{file.name} cannot be read: {error.strerror}") from error
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise RecordError(f"{file.name} holds no JSON object: it was cut off, or is no run log of rlvitals")
    return found


def _process(fields: _Fields) -> ProcessIdentity | None:
    pid, started = fields.whole("pid", least=1, most=LARGEST_PID), fields.moment("started")
    host, boot = fields.text("host"), fields.text("boot_id")
    if pid is None or started is None or not host or not boot:
        return None
    return ProcessIdentity(host, boot, pid, started)


def _resumption(row: Row, of_status: _Fields) -> Resumption:
    fields = of_status.within(row)
    return Resumption(fields.whole("step"), fields.moment("time"), fields.mapping("changes") or {})
