"""Reads plain metric logs: JSON lines, CSV and parquet with a step column, one file per run.

Recognised by their first row: the loggers of verl (`{"step": …, "data": {…}}`), ms-swift, prime-rl, tinker-cookbook,
Stable-Baselines3, LLaMA-Factory and anything else that writes one row of numbers per step. A row of settings above them
is read as such.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import islice, takewhile
from pathlib import Path
from typing import Any, cast

from diagnostics.foreign_files import open_regular
from diagnostics.foreign_files.bounds import LINE_BYTES
from diagnostics.foreign_files.folders import files_in
from diagnostics.model.recording import Recording, Source
from diagnostics.model.status import Status
from diagnostics.readers.base import RunRef, UnreadableRun
from diagnostics.readers.files import csv_lines
from diagnostics.readers.files.json_lines import JsonLines, parse_row
from diagnostics.readers.files.parquet import NOT_WHOLE, first_row, rows_of_whole
from diagnostics.readers.files.text_lines import LineTail
from diagnostics.readers.liveness import state_of, time_last_written
from diagnostics.readers.rows import Rows
from diagnostics.readers.samples.tables import number_of
from diagnostics.readers.single_file import FileReader, name_of
from diagnostics.readers.tables.metric_rows import (
    LEAST_COUNTED,
    OUT_OF,
    SURELY_OF_TRAINING,
    are_counted_rows,
    counted_by,
    csv_row,
    flat_row,
    is_metric_row,
    step_column,
    whole_step,
)
from diagnostics.readers.tables.settings_row import is_of_settings, settings_in
from diagnostics.readers.wandb.csv_export import is_export
from diagnostics.told import told

MARKS = "*.jsonl", "*.csv", "*.tsv", "*.parquet", "progress.json"
"""The last is what Stable-Baselines3 calls its JSON lines."""
MOST_BEFORE = 4  # rows, of settings and the like, the last of which may be the first of metrics
_CURVE = ["Wall time", "Step", "Value"]
_STEP_FILE = re.compile(r"completions_\d+\.parquet")
_TIMES = ("time", "timestamp", "_timestamp", "Wall time")  # the last is TensorBoard's, as its page exports a curve


def runs_in(folder: Path) -> tuple[RunRef, ...]:
    """Every file directly in the folder whose first row has a step and another number, or whose rows are counted."""
    files = [path for path in files_in(folder, *MARKS) if not is_export(path)]
    return tuple(RunRef(file, "table", name_of(file), folder) for file in files if is_metric_log(file))


def start_time(path: Path) -> float | None:
    """Unknown: times in such files have no fixed meaning."""


def is_metric_log(file: Path) -> bool:
    """Whether one of a file's first rows has metrics and a step, or all of them are a training's that name none."""
    rows = _rows(file)
    first = next(rows, None)
    if first is None or is_metric_row(first):
        return first is not None
    head = [first, *islice(rows, LEAST_COUNTED - 1)]
    named = (row for row in head[:MOST_BEFORE] if any(map(SURELY_OF_TRAINING.search, flat_row(row))))
    return any(map(is_metric_row, named)) or are_counted_rows(head)


class Reader(FileReader["_Log"]):
    """Follows one file."""

    def open_log(self) -> "_Log":
        return _log(self.path)

    def to_recording(self, log: "_Log", status: Status) -> Recording:
        return Recording(
            path=self.path,
            sources=(Source("table", self.path),),
            run_id=self.path.stem,
            name=name_of(self.path),
            tags=log.rows.columns.series(),
            config=dict(log.settings),
            status=status,
            malformed=log.malformed,
            notes=(counted_by(log.axis), *log.rows.notes(), *log.notes()),
        )


class _Log(ABC):
    """Everything read so far from one file; subclasses parse the rows."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.rows = Rows(axes=())
        self.axis: str | None = None
        self.settings: dict[str, Any] = {}
        self._counted = 0  # rows, once it is known that none names its step
        self._waiting: list[Mapping[str, Any]] = []  # the first rows, until it is known what counts them
        self._total: int | None = None
        self._newest: float | None = None
        self._misfits = 0

    @property
    @abstractmethod
    def was_replaced(self) -> bool:
        """Whether the file must be read again from its start."""

    @property
    def malformed(self) -> int:
        return self._misfits

    @abstractmethod
    def read(self) -> bool:
        """Read what was appended; False if nothing was."""

    @abstractmethod
    def notes(self) -> Iterable[str]:
        """Sentences about what a bound left out."""

    def status(self, written: float, now: float) -> Status:
        written = time_last_written(self._newest, written)
        return Status(state=state_of(written, now), step=self.rows.last_step, total=self._total, last_written=written)

    def take(self, row: Mapping[str, Any]) -> None:
        """Add one row."""
        whole, row = row, flat_row(row)
        if self._counted:
            self._add_counted(row)
            return
        if self._names_no_step(row):
            self.settings.update(settings_in(whole))
            if is_of_settings(whole):
                return
        if self.axis is None and (axis := step_column(row)) is not None:
            self.axis = axis
            self._give_up_waiting()
        if self.axis is None:
            self._wait(row)
        else:
            self._take_at_axis(row, self.axis)

    def _names_no_step(self, row: Mapping[str, Any]) -> bool:
        return step_column(row) is None if self.axis is None else self.axis not in row

    def _take_at_axis(self, row: Mapping[str, Any], axis: str) -> None:
        value = row.get(axis)
        step = whole_step(value)
        if step is None:
            self._misfits += 1
            return
        if match := OUT_OF.fullmatch(str(value)):
            self._total = int(match["total"])
        self._add(row, step)

    def _wait(self, row: Mapping[str, Any]) -> None:
        """Keep a first row without a step, until one has a step or there are enough to count them."""
        self._waiting.append(row)
        if len(self._waiting) < LEAST_COUNTED:
            return
        if are_counted_rows(self._waiting):
            for waiting in self._waiting:
                self._add_counted(waiting)
            self._waiting.clear()
        else:
            self._give_up_waiting()

    def _give_up_waiting(self) -> None:
        self._misfits += len(self._waiting)
        self._waiting.clear()

    def _add_counted(self, row: Mapping[str, Any]) -> None:
        self._counted += 1
        self._add(row, self._counted)

    def _add(self, row: Mapping[str, Any], step: int) -> None:
        moment = next((number for name in _TIMES if (number := number_of(row.get(name))) is not None), 0.0)
        for name, value in row.items():
            if name != self.axis:
                self.rows.add(name, value, step, moment)
        self.rows.last_step, self._newest = step, moment


class _JsonLog(_Log):
    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._lines = JsonLines(path)

    @property
    def was_replaced(self) -> bool:
        return self._lines.tail.was_replaced

    @property
    def malformed(self) -> int:
        return self._misfits + self._lines.malformed

    def read(self) -> bool:
        before = self._lines.tail.offset
        for line in self._lines.lines():
            self.take(line.row)
        return self._lines.tail.offset != before

    def notes(self) -> Iterable[str]:
        return self._lines.notes()


class _CsvLog(_Log):
    """Cells below a header in the first line; quoted line breaks are not supported, as no metric log has them.

    Stable-Baselines3 rewrites the file with a longer header when it logs a new metric.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._lines = LineTail(path)
        self._header: Sequence[str] = ()
        self._between = ","

    @property
    def was_replaced(self) -> bool:
        return self._lines.tail.was_replaced

    @property
    def malformed(self) -> int:
        return self._misfits + self._lines.too_long

    def read(self) -> bool:
        before = self._lines.tail.offset
        for found in self._lines.read():
            for line in filter(bytes.strip, found.texts):
                self._take_line(line)
        return self._lines.tail.offset != before

    def notes(self) -> Iterable[str]:
        return self._lines.notes()

    def _take_line(self, line: bytes) -> None:
        text = line.decode("utf-8-sig", "replace")
        if not self._header:
            self._between = csv_lines.separator_of(text)
        cells = csv_lines.cells(text, self._between)
        if not self._header:
            self._header = _named_curve(cells, self.path)
            self._lines.tail.head = max(self._lines.tail.head, line + b"\n", key=len)
        elif len(cells) != len(self._header):
            self._misfits += 1
        else:
            self.take(csv_row(self._header, cells))


def _named_curve(header: Sequence[str], file: Path) -> Sequence[str]:
    """The header of a table; of one curve, as TensorBoard's page exports it, the file's name may say which."""
    _, _, tag = file.stem.rpartition("-tag-")
    is_named = tag != file.stem or SURELY_OF_TRAINING.search(tag) is not None
    return [*header[:-1], tag] if [*header] == _CURVE and is_named else header


class _ParquetLog(_Log):
    """A parquet file, reread after it was rewritten; while it is incomplete, the last complete version counts."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._seen: tuple[int, int, int] | None = None
        self._notes: tuple[str, ...] = ()

    @property
    def was_replaced(self) -> bool:
        return False  # the last version counts until the file is complete again

    def read(self) -> bool:
        found = self.path.stat()
        seen = (found.st_ino, found.st_size, found.st_mtime_ns)
        taken = rows_of_whole(self.path) if seen != self._seen else None
        if taken is None and self._seen is None:
            raise UnreadableRun(self.path, told("{path} {why}", path=self.path, why=NOT_WHOLE))
        if taken is None:
            return False
        self.rows, self.axis, self._misfits, self._seen = Rows(axes=()), None, 0, seen
        for row in taken.items:
            self.take(row)
        self._notes = taken.notes(self.path)
        return True

    def notes(self) -> Iterable[str]:
        return self._notes


_LOGS: Mapping[str, type[_Log]] = {".csv": _CsvLog, ".tsv": _CsvLog, ".parquet": _ParquetLog}


def _log(path: Path) -> _Log:
    return _LOGS.get(path.suffix, _JsonLog)(path)


def _rows(file: Path) -> Iterator[Mapping[str, Any]]:
    """The rows from the first one on, as far as each is one."""
    if file.suffix == ".parquet":
        row = None if _STEP_FILE.fullmatch(file.name) else first_row(file)
        return iter([row] if row else [])
    rows = _rows_below_header(file) if _LOGS.get(file.suffix) is _CsvLog else map(parse_row, _lines(file))
    return cast("Iterator[Mapping[str, Any]]", takewhile(lambda row: row is not None, rows))


def _lines(file: Path) -> Iterator[bytes]:
    with suppress(OSError), open_regular(file) as lines:
        yield from filter(bytes.strip, iter(partial(lines.readline, LINE_BYTES), b""))


def _rows_below_header(file: Path) -> Iterator[Mapping[str, Any] | None]:
    texts = (line.decode("utf-8-sig", "replace") for line in _lines(file))
    first = next(texts, "")
    between = csv_lines.separator_of(first)
    header = csv_lines.cells(first, between)
    for text in texts:
        cells = csv_lines.cells(text, between)
        yield csv_row(header, cells) if cells and len(cells) == len(header) else None
