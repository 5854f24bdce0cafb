"""Reads run directories written by `diagnostics.runlog`: events, samples and status, live or finished."""

import os
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from diagnostics.model.histograms import Histogram
from diagnostics.model.recording import Recording, Source
from diagnostics.model.samples import Samples
from diagnostics.model.status import Status
from diagnostics.readers.base import RunRef, UnreadableRun
from diagnostics.readers.columns import Columns
from diagnostics.readers.console_end import console_end, last_change
from diagnostics.readers.files.json_lines import JsonLines, Row, as_number, as_whole
from diagnostics.readers.histogram_columns import HistogramColumns
from diagnostics.readers.run_directory.sample_index import SampleIndex
from diagnostics.runlog import (
    CONSOLE_FILE,
    EVENTS_FILE,
    RUN_FILE,
    SAMPLES_FILE,
    SCHEMA_VERSION,
    SECONDS_OF_SILENCE,
    STATUS_FILE,
    RecordError,
    RunRecord,
    StatusRecord,
)
from diagnostics.runlog.process import ProcessIdentity
from diagnostics.runlog.records import as_moment
from diagnostics.told import told

KILLED = (
    "Its process ended without a word: it was killed, by a person or by the kernel for lack of memory; against the "
    "latter lower per_device_train_batch_size and raise gradient_accumulation_steps by the same factor."
)
OURS = "rlvitals"
LIVING_STATES = frozenset({"starting", "running"})
QUIET_SECONDS = 60.0  # without a step, after which it is worth knowing what the process does


def runs_in(folder: Path) -> tuple[RunRef, ...]:
    """A run directory is one run."""
    try:
        name = RunRecord.read(folder).name or folder.name
    except RecordError:  # listed anyway: opening it says what is wrong
        name = folder.name
    return (RunRef(folder, OURS, name),)


def start_time(path: Path) -> float | None:
    """When the run directory was claimed."""
    try:
        return RunRecord.read(path).created
    except RecordError:
        return None


class Reader:
    """Follows one run directory."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._log = _Log(path)
        self._last: Recording | None = None

    def refresh(self) -> Recording:
        """The run's current Recording; the same object as the last call if nothing changed. Raises UnreadableRun."""
        if not self.path.exists():
            raise UnreadableRun(
                self.path, told("{path} is gone: the run was there and has been removed", path=self.path)
            )
        if self._log.was_replaced:
            self._log, self._last = _Log(self.path), None
        said = read_status(self.path)  # before the log, which then holds every step that it speaks of
        grew = self._log.read()
        status = self._status(said)
        if self._last is None or grew or status != self._last.status:
            self._last = self._record(status, said, None if grew else self._last)
        return self._last

    def _status(self, said: StatusRecord) -> Status:
        return replace(
            current_status(said, self._log.last_step, self._log.last_time, time.time()),
            last_printed=last_change(self.path / CONSOLE_FILE),
            last_sampled=last_change(self.path / SAMPLES_FILE),
        )

    def files(self) -> tuple[Path, ...]:
        """Everything in the run directory that is read."""
        return tuple(self.path / name for name in (RUN_FILE, STATUS_FILE, EVENTS_FILE, SAMPLES_FILE, CONSOLE_FILE))

    def name(self) -> str:
        """Empty: the run's name is in its description."""
        return ""

    def sample_index(self) -> Any:
        """Where each step's samples are stored."""
        return self._log.samples.index()

    def samples_of(self, index: Any) -> Samples:
        """The samples at these places."""
        found = SampleIndex(self.path / SAMPLES_FILE)
        found.restore(index)
        return found.snapshot()

    def _record(self, status: Status, said: StatusRecord, unchanged: Recording | None) -> Recording:
        run, console = self._log.run, self.path / CONSOLE_FILE
        return Recording(
            path=self.path,
            sources=(Source(OURS, self.path),),
            run_id=run.run_id,
            name=run.name or self.path.name,
            tags=unchanged.tags if unchanged else self._log.columns.series(),
            histograms=unchanged.histograms if unchanged else self._log.histograms.by_tag(),
            config=_config(run, said),
            samples=unchanged.samples if unchanged else self._log.samples.snapshot(),
            status=status,
            created=run.created,
            producer=run.producer or OURS,
            producer_version=_version(run),
            algorithm=run.algorithm,
            task=run.task,
            parent=run.parent,
            console=console if console.exists() else None,
            console_tail=console_end(console, status.state),
            device=said.device,
            resumed_after=tuple(beginning.step for beginning in said.resumed if beginning.step is not None),
            malformed=self._log.malformed,
            notes=(
                *self._log.notes(has_ended=status.state not in LIVING_STATES),
                *(problem.told for problem in said.problems),
            ),
        )


class _Log:
    """What was read of one run directory so far."""

    def __init__(self, path: Path) -> None:
        self.run = _read_run(path)
        self.columns = Columns()
        self.samples = SampleIndex(path / SAMPLES_FILE)
        self.last_step: int | None = None
        self.last_time: float | None = None
        self._events = JsonLines(path / EVENTS_FILE)
        self._misfits = 0  # lines that are JSON but not a logged step
        self._without_samples = ""  # why, if they cannot be read
        self.histograms = HistogramColumns()

    @property
    def was_replaced(self) -> bool:
        return self._events.tail.was_replaced or self.samples.lines.tail.was_replaced

    @property
    def malformed(self) -> int:
        return self._events.malformed + self._misfits + self.samples.malformed

    def read(self) -> bool:
        """Read what was appended; False if nothing was. Events come first: their samples are written before them."""
        before = self._events.tail.offset, self.samples.lines.tail.offset
        for line in self._events.lines():
            self._take(line.row)
        try:
            self.samples.read()
        except OSError as error:
            self._without_samples = told("{file} cannot be read: {why}", file=SAMPLES_FILE, why=error.strerror)
        return before != (self._events.tail.offset, self.samples.lines.tail.offset)

    def notes(self, has_ended: bool) -> Iterator[str]:
        """Sentences about what was left out; an incomplete last line is normal while the run is being written."""
        yield from (problem.told for problem in self.run.problems)
        schema = self.run.schema_version
        if schema != SCHEMA_VERSION:
            yield told(
                "{file} has schema {schema}, this rlvitals knows {known}: something may be missing here",
                file=RUN_FILE,
                schema=schema,
                known=SCHEMA_VERSION,
            )
        if self._without_samples:
            yield self._without_samples
        yield from self._events.notes()
        yield from self.samples.notes()
        for lines in (self._events, self.samples.lines):
            if has_ended and lines.torn_bytes:
                yield told(
                    "{file} ends within a line; its last {count} bytes were left out",
                    file=lines.tail.path.name,
                    count=lines.torn_bytes,
                )

    def _take(self, row: Row) -> None:
        step, metrics = as_whole(row.get("step")), row.get("metrics")
        if step is None or not isinstance(metrics, dict):
            self._misfits += 1
            return
        written = self._written(row.get("time"))
        for tag, value in metrics.items():
            number = as_number(value)
            if number is not None:
                self.columns.add(tag, step, number, written)
            elif value is not None:  # null is a missing point
                self._misfits += 1
        for tag, bins in _mapping(row, "histograms").items():
            self._take_histogram(tag, step, bins)
        self.last_step, self.last_time = step, written or self.last_time

    def _written(self, time_of_step: Any) -> float:
        moment = as_moment(time_of_step)
        self._misfits += moment is None and time_of_step is not None
        return moment or 0.0

    def _take_histogram(self, tag: str, step: int, bins: Any) -> None:
        try:
            self.histograms.add(tag, step, Histogram.of_row(bins))
        except (ValueError, TypeError, KeyError, AttributeError):
            self._misfits += 1


def _read_run(path: Path) -> RunRecord:
    try:
        return RunRecord.read(path)
    except RecordError as error:
        raise UnreadableRun(path, told("{path}: {why}", path=path, why=error)) from error


def read_status(path: Path) -> StatusRecord:
    """The current status.json; empty if it is missing, and with the problem if it cannot be read."""
    try:
        return StatusRecord.read(path)
    except RecordError as error:
        return StatusRecord(problems=(error,) if os.path.lexists(path / STATUS_FILE) else ())


def current_status(said: StatusRecord, last_step: int | None, last_time: float | None, now: float) -> Status:
    """Where the training stands: its own status, and whether its process is still alive to update it."""
    state, lives = said.state, False
    if state in LIVING_STATES:
        state, lives = _judge_living(state, said.process, now - (said.heartbeat or 0.0))
    is_quiet = lives and last_time is not None and now - last_time > QUIET_SECONDS
    return Status(
        state=state,
        step=said.step if last_step is None else last_step,
        total=said.total,
        last_written=max(filter(None, (said.heartbeat, last_time)), default=None),
        error=KILLED if state == "died" else said.error,
        is_ours=lives,
        suspended=said.process.pid if lives and said.process and said.process.is_suspended else None,
        activity=said.process.activity if is_quiet and said.process else "",
    )


def _judge_living(state: str, process: ProcessIdentity | None, age: float) -> tuple[str, bool]:
    """The state, and whether the process lives on this host; only its own host can tell that it died."""
    if process is not None and process.is_on_this_host:
        return (state, True) if process.is_alive else ("died", False)
    return ("silent" if age > SECONDS_OF_SILENCE else state), False


def _config(run: RunRecord, said: StatusRecord) -> Row:
    """The options in force: the original ones, with the changes of each resumption."""
    config = dict(run.config or {})
    for beginning in said.resumed:
        config |= beginning.changes
    return config


def _version(run: RunRecord) -> str | None:
    version = run.versions.get(run.producer or OURS)
    return version if isinstance(version, str) else None


def _mapping(row: Row, key: str) -> Row:
    value = row.get(key)
    return value if isinstance(value, dict) else {}
