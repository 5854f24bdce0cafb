"""Reads what a trainer printed: console output in a file, from `> train.log`, tee, nohup or Slurm.

It is the only log of a training without a tracker, which is the default of TRL with transformers 5.
"""

import time
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from stat import S_ISREG

from diagnostics.foreign_files import open_regular
from diagnostics.foreign_files.folders import files_in
from diagnostics.model.recording import Recording, Source
from diagnostics.model.series import RawSeries
from diagnostics.model.status import Status
from diagnostics.readers.base import RunRef
from diagnostics.readers.columns import Columns
from diagnostics.readers.console.failure import Ending
from diagnostics.readers.console.lines import (
    EVAL,
    LONGEST_ROW,
    Bar,
    Panel,
    Row,
    holds_beginning,
    holds_row,
    is_whole_row,
    parse_line,
)
from diagnostics.readers.console.printed_settings import PrintedSettings
from diagnostics.readers.console.row_steps import RowSteps
from diagnostics.readers.files.text_lines import TextLines
from diagnostics.readers.single_file import FileReader, name_of, state_of

MARKS = "*.log", "*.out", "*.txt"
HEAD_BYTES, END_BYTES = 1 << 20, 1 << 18  # searched for signs of a training
CRASH_SECONDS = 30.0  # of silence after a traceback mean that it ended, and that its last line is complete
MOST_TEXTS = 1 << 15  # whose classification is remembered
BAR_BYTES = 1 << 11  # that may separate a row from the next progress bar
OF_WANDB = "files"  # where W&B keeps its own copy of the console
ROUNDED = "All numbers are printed with three decimals: what is nearer to 0 than 0.0005 reads 0"
_LEAST_SHOWN = 0.0005


def runs_in(folder: Path) -> tuple[RunRef, ...]:
    """Every text file directly in the folder with a row of metrics, or with signs that a training started."""
    files = [file for file in files_in(folder, *MARKS) if _is_console(file)]
    home = folder.parent if folder.name == OF_WANDB else folder
    return tuple(RunRef(file, "console", name_of(file), home) for file in files)


def start_time(path: Path) -> float | None:
    """Unknown: printed rows have no time."""


class Reader(FileReader["_Log"]):
    """Follows one text file."""

    def open_log(self) -> "_Log":
        return _Log(self.path)

    def to_recording(self, log: "_Log", status: Status) -> Recording:
        return Recording(
            path=self.path,
            sources=(Source("console", self.path),),
            run_id=self.path.stem,
            name=name_of(self.path),
            tags=log.series(),
            config=log.settings.found,
            status=status,
            console=self.path,
            console_tail="\n".join(log.ending.lines) if status.state == "failed" else "",
            malformed=log.malformed,
            rounded_to=_LEAST_SHOWN if log.is_rounded else 0.0,
            notes=log.notes(),
        )


class _Log:
    """What was read of one text so far."""

    def __init__(self, path: Path) -> None:
        self._misfits = 0
        self.is_rounded = False
        self.settings = PrintedSettings()
        self._columns = Columns()  # indexed by row number, from 0
        self._rows = RowSteps()
        self._lines = TextLines(path)
        self._ending = Ending()

    @property
    def was_replaced(self) -> bool:
        return self._lines.tail.was_replaced

    @property
    def ending(self) -> Ending:
        """How the text ends, including its last, possibly incomplete line."""
        return self._ending.with_last(self._lines.incomplete_line(LONGEST_ROW))

    def read(self) -> bool:
        before = self._lines.tail.offset
        for line in self._lines.lines():
            self._take_line(line)
        begun = self._lines.incomplete_line(LONGEST_ROW)
        has_last_row = is_whole_row(begun) and self._is_left()
        if has_last_row:  # pasted text lacks the final line end
            self._lines.end_line()
            self._take_line(begun)
        bar = self._lines.incomplete_line(BAR_BYTES)  # a progress bar's line ends only with the next row
        for item in parse_line(bar):
            if isinstance(item, Bar):
                self._add_item(item)
        return has_last_row or self._lines.tail.offset != before

    def _is_left(self) -> bool:
        return time.time() - self._lines.tail.path.stat().st_mtime > CRASH_SECONDS

    def _take_line(self, line: str) -> None:
        self._ending.feed(line)
        self.settings.feed(line)
        for item in parse_line(line):
            self._add_item(item)

    def series(self) -> dict[str, RawSeries]:
        """All points so far, at the steps inferred so far."""
        steps = self._rows.steps()
        found = self._columns.series()
        return {tag: replace(series, steps=steps[series.steps]) for tag, series in found.items()}

    def status(self, written: float, now: float) -> Status:
        steps, total, state = self._rows.steps(), self._rows.total, state_of(written, now)
        step = int(steps[-1]) if len(steps) else None
        ending = self.ending
        if ending.error is not None and now - written > CRASH_SECONDS:
            state = "stopped" if ending.was_by_hand else "failed"
        elif state == "silent" and step is not None and total is not None and step >= total:
            state = "finished"
        error = ending.error if state == "failed" else None
        return Status(state=state, step=step, total=total, last_written=written, error=error)

    @property
    def malformed(self) -> int:
        return self._misfits + self._lines.too_long

    def notes(self) -> tuple[str, ...]:
        return (*self._rows.notes(), *((ROUNDED,) if self.is_rounded else ()), *self._lines.notes())

    def _add_item(self, item: Row | Bar | Panel) -> None:
        if not isinstance(item, Row):
            self._rows.add_position(item)
            return
        self._misfits += item.misfits
        if item.values:
            self._ending.clear()
            self.is_rounded = self.is_rounded or item.is_rounded
            number = self._rows.add_row(item)
            for name, value in item.values.items():
                self._columns.add(_tag(name), number, value, 0.0)


def _tag(name: str) -> str:
    """The name that the Trainer's trackers use: `eval_x` becomes `eval/x`."""
    return f"eval/{name.removeprefix(EVAL)}" if name.startswith(EVAL) else name


def _is_console(file: Path) -> bool:
    try:
        found = file.stat()
    except OSError:  # gone just now, or a link to nowhere
        return False
    return S_ISREG(found.st_mode) and _shows_training(file, found.st_ino, found.st_size, found.st_mtime_ns)


@lru_cache(MOST_TEXTS)
def _shows_training(file: Path, inode: int, size: int, changed: int) -> bool:
    """Whether the head or the end of a text shows a training; unchanged files are not read again."""
    try:
        with open_regular(file) as text:
            if _is_of_training(text.read(HEAD_BYTES)):
                return True
            text.seek(max(HEAD_BYTES, size - END_BYTES))
            return _is_of_training(text.read(END_BYTES))
    except OSError:
        return False


def _is_of_training(text: bytes) -> bool:
    return holds_row(text) or holds_beginning(text)
