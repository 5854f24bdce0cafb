"""Reads torchtune's own log: `log_UNIXTIME.txt`, lines of `Step N | name:value name:value`."""

import re
from collections.abc import Iterator
from pathlib import Path

from diagnostics.foreign_files import read_head
from diagnostics.foreign_files.folders import files_in
from diagnostics.model.recording import Recording, Source
from diagnostics.model.status import Status
from diagnostics.readers.base import RunRef
from diagnostics.readers.columns import Columns
from diagnostics.readers.files.text_lines import TextLines
from diagnostics.readers.liveness import state_of
from diagnostics.readers.rows import LARGEST_STEP
from diagnostics.readers.single_file import FileReader, name_of

FILES = "log_*.txt"
HEAD_BYTES = 256
_LINE = re.compile(r"Step (?P<step>-?\d+) \| ?(?P<values>.*)", re.DOTALL)
_FILE = re.compile(r"log_(?P<time>\d+)\.txt")


def runs_in(folder: Path) -> tuple[RunRef, ...]:
    """Every log directly in the folder that begins like torchtune's; each start of a training opens a new one."""
    files = [file for file in files_in(folder, FILES) if is_log(file)]
    return tuple(RunRef(file, "torchtune", name_of(file), folder) for file in files)


def start_time(path: Path) -> float | None:
    """When the log was opened, according to its name."""
    match = _FILE.fullmatch(path.name)
    return float(match["time"]) if match else None


class Reader(FileReader["_Log"]):
    """Follows one log."""

    def open_log(self) -> "_Log":
        return _Log(self.path)

    def to_recording(self, log: "_Log", status: Status) -> Recording:
        return Recording(
            path=self.path,
            sources=(Source("torchtune", self.path),),
            run_id=self.path.stem,
            name=name_of(self.path),
            tags=log.columns.series(),
            status=status,
            created=start_time(self.path),
            malformed=log.malformed,
            notes=tuple(log.notes()),
        )


class _Log:
    """Everything read so far from one file; lines without a step or with a non-numeric value are counted."""

    def __init__(self, path: Path) -> None:
        self.columns = Columns()
        self._misfits = 0
        self._lines = TextLines(path)
        self._last_step: int | None = None

    @property
    def was_replaced(self) -> bool:
        return self._lines.tail.was_replaced

    @property
    def malformed(self) -> int:
        return self._misfits + self._lines.too_long

    def notes(self) -> Iterator[str]:
        return self._lines.notes()

    def read(self) -> bool:
        before = self._lines.tail.offset
        for line in self._lines.lines():
            self._take(line.rstrip())
        return self._lines.tail.offset != before

    def status(self, written: float, now: float) -> Status:
        return Status(state=state_of(written, now), step=self._last_step, last_written=written)

    def _take(self, line: str) -> None:
        match = _LINE.fullmatch(line)
        step = int(match["step"]) if match and len(match["step"]) < 20 else None
        if match is None or step is None or not -LARGEST_STEP <= step < LARGEST_STEP:
            self._misfits += 1
            return
        for name, value in _values(match["values"]):
            try:
                self.columns.add(name, step, float(value), 0.0)
            except ValueError:
                self._misfits += 1
        self._last_step = step


def _values(text: str) -> Iterator[tuple[str, str]]:
    """Names and values of a line; names may contain spaces and colons, values neither."""
    words = list[str]()
    for word in text.split(" "):
        name, colon, value = word.rpartition(":")
        words.append(name if colon else word)
        if colon:
            yield " ".join(words), value
            words.clear()


def is_log(file: Path) -> bool:
    """Whether a file begins as such a log does."""
    try:
        return _LINE.match(read_head(file, HEAD_BYTES).decode("utf-8", "replace")) is not None
    except OSError:
        return False
