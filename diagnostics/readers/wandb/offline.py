"""Reads Weights & Biases' local files: `run-ID.wandb` of an offline or synced run, including resumed parts.

Field numbers are those of `wandb_internal.proto`; wandb itself is not needed.
"""

import time
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from diagnostics.foreign_files import read_text
from diagnostics.foreign_files.folders import files_in, resolved
from diagnostics.model.recording import Recording, Source
from diagnostics.model.samples import Samples
from diagnostics.model.status import Status
from diagnostics.readers.base import RunRef, UnreadableRun
from diagnostics.readers.console_end import console_end, last_change
from diagnostics.readers.liveness import state_of, time_last_written
from diagnostics.readers.rows import Rows
from diagnostics.readers.samples.tables import reward_functions
from diagnostics.readers.wandb.history import OWN_KEYS, WandbHistory
from diagnostics.readers.wandb.protobuf_messages import (
    HISTORY,
    SUMMARY,
    Exit,
    Message,
    Metric,
    RunRecord,
    Stats,
    decode,
    decode_summary,
    split_record,
)
from diagnostics.readers.wandb.records import WandbRecords
from diagnostics.readers.wandb.row_buffer import RowBuffer
from diagnostics.readers.wandb.run_folders import FILES, LOGS, OUTPUT, parts_of, run_id_of, started
from diagnostics.readers.wandb.tables import WandbTables
from diagnostics.readers.wandb.unnamed_tables import TABLES
from diagnostics.told import told

REQUIREMENTS = "requirements.txt"
HEAD_RECORDS = 64  # the run record is one of the first
STATES_BY_EXIT_CODE = {0: "finished", 255: "stopped"}  # W&B's own code for Ctrl-C; any other is that of a failure
SUMMARIES_KEPT = 64  # W&B writes the summary after every row; only the last ones matter


def runs_in(folder: Path) -> tuple[RunRef, ...]:
    """The folder, unless it continues a run that began in a sibling folder."""
    parts = parts_of(folder)
    if not parts or not files_in(folder, LOGS) or resolved(parts[0]) != resolved(folder):
        return ()
    return (RunRef(folder, "wandb", run_id_of(folder)),)


def start_time(path: Path) -> float | None:
    """When the run began, according to the first records of its file."""
    file = next(iter(files_in(path, LOGS)), None)
    for payload in islice(WandbRecords(file).payloads(), HEAD_RECORDS) if file else ():
        try:
            kind, message = split_record(payload) or (SUMMARY, b"")
            record = None if kind == SUMMARY else decode(kind, message)
        except ValueError:
            continue
        if isinstance(record, RunRecord) and record.started:
            return record.started
    return None


class Reader:
    """Follows one W&B run across all its folders."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._log = _Log()
        self._last: Recording | None = None

    def refresh(self) -> Recording:
        """The run's current Recording; the same object as the last call if nothing changed. Raises UnreadableRun."""
        files = self._files()
        if self._log.was_replaced:
            self._log, self._last = _Log(), None
        grew = self._log.read(files)
        if not self._log.is_wandb:
            raise UnreadableRun(self.path, _nothing_readable(self.path, files))
        status = self._log.status(max(file.stat().st_mtime for file in files), time.time())
        status = replace(status, last_printed=last_change(_output(files[0].parent)))
        if self._last is None or grew or status != self._last.status:
            self._log.look_for_tables()
            self._last = self._record(files[0].parent, status)
        return self._last

    def files(self) -> tuple[Path, ...]:
        """The logs of all parts of the run, and the files beside them that are read at once."""
        logs = self._files()
        beside = (logs[0].parent / FILES / name for name in (REQUIREMENTS, OUTPUT))
        tables = (log.parent / FILES / TABLES for log in logs)
        return (*logs, *(log.parent for log in logs), *tables, *beside)

    def name(self) -> str:
        """Empty: the run's name is in its log."""
        return ""

    def sample_index(self) -> Any:
        """The tables of each step, and the reward functions named by their columns."""
        functions = reward_functions(self._log.rows.columns.tags)
        return {"tables": self._log.tables.index(), "functions": sorted(functions)}

    def samples_of(self, index: Any) -> Samples:
        """The samples in these tables."""
        tables = WandbTables()
        tables.restore(index["tables"])
        return tables.snapshot(frozenset(index["functions"]))

    def _files(self) -> tuple[Path, ...]:
        folder = self.path if self.path.is_dir() else self.path.parent
        files = tuple(file for part in parts_of(folder) for file in files_in(part, LOGS))
        if not files:
            raise UnreadableRun(
                self.path, told("{path} is gone: the .wandb file was there and has been removed", path=self.path)
            )
        return files

    def _record(self, folder: Path, status: Status) -> Recording:
        log, console = self._log, _output(folder)
        return Recording(
            path=self.path,
            sources=(Source("wandb", self.path),),
            run_id=run_id_of(folder),
            name=log.name or run_id_of(folder),
            tags=log.rows.columns.series(),
            histograms=log.rows.histograms.by_tag(),
            config=log.config,
            text=_texts(folder),
            samples=log.tables.snapshot(reward_functions(log.rows.columns.tags)),
            status=status,
            created=log.created,
            console=console,
            console_tail=console_end(console, status.state),
            malformed=log.malformed,
            notes=tuple(log.notes(has_ended=status.state != "running")),
        )


class _Log:
    """What was read of one run's files so far."""

    def __init__(self) -> None:
        self.history = WandbHistory()
        self.tables = WandbTables()  # with those that no row names, as of the last look at the folders
        self.config: dict[str, Any] = {}
        self.name = ""
        self._started: float | None = None
        self._sampled: float | None = None  # when the machine was last looked at
        self._exit_code: int | None = None
        self._records: dict[Path, WandbRecords] = {}
        self._buffer = RowBuffer(self.history)
        self._summaries: deque[bytes] = deque(maxlen=SUMMARIES_KEPT)
        self._misfits = 0

    @property
    def rows(self) -> Rows:
        return self.history.rows

    @property
    def created(self) -> float | None:
        return self._started or self.history.first_time

    @property
    def _newest(self) -> float | None:
        """The newest time in the records: of a row, of the machine's metrics, or of the run's start."""
        recorded = max(filter(None, (self.history.last_time, self._sampled, self._started)), default=None)
        return recorded or max(filter(None, (started(file.parent) for file in self._records)), default=None)

    @property
    def is_wandb(self) -> bool:
        return any(records.has_header for records in self._records.values())

    @property
    def was_replaced(self) -> bool:
        return any(records.tail.was_replaced for records in self._records.values())

    @property
    def malformed(self) -> int:
        return (
            self._misfits
            + self._buffer.misfits
            + self.history.malformed
            + sum(records.malformed for records in self._records.values())
        )

    def read(self, files: tuple[Path, ...]) -> bool:
        """Read what was appended; False if nothing was."""
        before = self._offset
        for file in files:
            media = file.parent / FILES
            for payload in self._records.setdefault(file, WandbRecords(file)).payloads():
                self._take(payload, media)
            self._buffer.flush(media)
        return self._offset != before

    def look_for_tables(self) -> None:
        """Look for tables in the folders of the run's parts, also for those that no row names."""
        self.tables = self.history.tables_with_unnamed([file.parent / FILES for file in self._records])

    def status(self, written: float, now: float) -> Status:
        """Ended only if the run says so; silent if it was not written for a while."""
        written = time_last_written(self._newest, written)
        state = state_of(written, now)
        if self._exit_code is not None:
            state = STATES_BY_EXIT_CODE.get(self._exit_code, "failed")
        return Status(state=state, step=self.rows.last_step, last_written=written)

    def notes(self, has_ended: bool) -> Iterator[str]:
        """Sentences about what was left out; an incomplete last record is normal while the run is being written."""
        yield from self.rows.notes()
        yield from self.tables.notes()
        for file, records in self._records.items():
            yield from records.tail.notes()
            if has_ended and records.torn_bytes:
                yield f"{file.name} ends within a record; its last {records.torn_bytes} bytes were left out"

    def _close(self) -> None:
        """Add what an ended run leaves: the last system metrics, and values found only in the summary."""
        self.history.flush_system_samples()
        for payload in self._summaries:
            try:
                self.history.take_summary(decode_summary(payload))
            except ValueError:
                self._misfits += 1
        self._summaries.clear()

    @property
    def _offset(self) -> int:
        return sum(records.tail.offset for records in self._records.values())

    def _take(self, payload: bytes, files: Path) -> None:
        try:
            kind, message = split_record(payload) or (None, b"")
            if kind == SUMMARY:
                self._summaries.append(message)
            elif kind == HISTORY:
                self._buffer.add(message, files)
            elif kind is not None:
                self._take_message(decode(kind, message), files)
        except ValueError:
            self._misfits += 1

    def _take_message(self, message: Message | None, files: Path) -> None:
        match message:
            case Stats():
                self._sampled = message.time or self._sampled
                self._buffer.add_sample(message)
            case RunRecord():
                self.config.update(_without_own(message.config))
                self.name = message.name or self.name
                self._started = self._started or message.started
            case Metric():
                if message.step_metric not in self.rows.axes:  # the run's own definition takes precedence
                    self._buffer.flush(files)
                    self.rows.axes.insert(0, message.step_metric)
            case Exit():
                self._buffer.flush(files)
                self._exit_code = message.code
                self._close()


def _output(folder: Path) -> Path | None:
    """W&B's copy of the console, where there is one."""
    file = folder / FILES / OUTPUT
    return file if file.exists() else None


def _texts(folder: Path) -> dict[str, str]:
    """Files beside the log that name the producer's version."""
    try:
        return {REQUIREMENTS: read_text(folder / FILES / REQUIREMENTS, errors="replace")}
    except OSError:
        return {}


def _nothing_readable(path: Path, files: tuple[Path, ...]) -> str:
    size = sum(file.stat().st_size for file in files)
    if size == 0:
        return told("{path} is empty: its writer has not written a record yet", path=path)
    return told(
        "{file} is no file of Weights & Biases: its {size} bytes do not begin with :W&B", file=files[0], size=size
    )


def _without_own(config: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in config.items() if name not in OWN_KEYS}
