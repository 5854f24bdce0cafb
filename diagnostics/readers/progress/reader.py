"""Reads texts that a trainer of one's own printed, by a tolerant pattern that says what it understood.

It reads what no other format of printed text does.
"""

from pathlib import Path

from diagnostics.foreign_files.bounds import LINE_BYTES
from diagnostics.foreign_files.folders import files_in
from diagnostics.model.recording import Recording, Source
from diagnostics.model.status import Status
from diagnostics.readers.base import RunRef
from diagnostics.readers.console.clock import TextClock
from diagnostics.readers.console.failure import Ending
from diagnostics.readers.console_end import WELL_ENDED
from diagnostics.readers.files.text_lines import TextLines
from diagnostics.readers.liveness import CRASH_SECONDS, state_of
from diagnostics.readers.progress.pattern import Progress
from diagnostics.readers.progress.recognition import is_progress
from diagnostics.readers.single_file import FileReader, name_of

MARKS = "*.log", "*.out", "*.txt"


def runs_in(folder: Path) -> tuple[RunRef, ...]:
    """Every text file directly in the folder with rows of a training that no other format reads."""
    return tuple(ref for file in files_in(folder, *MARKS) for ref in runs_of(file))


def runs_of(file: Path) -> tuple[RunRef, ...]:
    """The run that a text holds, whatever it is called."""
    return (RunRef(file, "progress", name_of(file), file.parent),) if is_progress(file) else ()


def start_time(path: Path) -> float | None:
    """Unknown: printed rows have no time that is known as such."""


class Reader(FileReader["_Log"]):
    """Follows one text."""

    def open_log(self) -> "_Log":
        return _Log(self.path)

    def to_recording(self, log: "_Log", status: Status) -> Recording:
        return Recording(
            path=self.path,
            sources=(Source("progress", self.path),),
            run_id=self.path.stem,
            name=name_of(self.path),
            tags=log.progress.rows.series(),
            status=status,
            console=self.path,
            console_tail="\n".join(log.ending.lines) if status.state not in WELL_ENDED else "",
            malformed=log.progress.rows.misfits + log.too_long,
            rounded_to=log.progress.rows.rounded_to,
            is_printed=True,
            notes=(*log.progress.notes(), *log.notes()),
        )


class _Log:
    """What was read of one text so far."""

    def __init__(self, path: Path) -> None:
        self._file = path
        self.progress = Progress()
        self.ending = Ending()
        self._lines = TextLines(path)
        self._clock = TextClock(None)
        self._fed = 0  # pieces of the incomplete last line, each ended by a carriage return

    @property
    def was_replaced(self) -> bool:
        return self._lines.tail.was_replaced

    @property
    def too_long(self) -> int:
        """Lines beyond the bound."""
        return self._lines.too_long

    def read(self) -> bool:
        before = self._lines.tail.offset
        for line in self._lines.lines():
            self._feed("\r".join(line.split("\r")[self._fed :]))
            self._fed = 0
        pieces = self._lines.incomplete_line(LINE_BYTES).split("\r")  # a bar that overwrites itself ends no line
        for piece in pieces[self._fed : -1]:
            self._feed(piece)
        self._fed = len(pieces) - 1
        return self._lines.tail.offset != before

    def _feed(self, line: str) -> None:
        self.ending.feed(line)
        self._clock.feed(line)
        if self.progress.feed(line):
            self.ending.clear()

    def status(self, written: float, now: float) -> Status:
        rows, error, printed = self.progress.rows, self.ending.error, self._clock.written(self._file, written)
        state = "unknown" if printed is None else state_of(printed, now)
        if error is not None and (printed is None or now - printed > CRASH_SECONDS):
            state = "stopped" if self.ending.was_by_hand else "failed"
        elif state != "running" and rows.step is not None and rows.total is not None and rows.step >= rows.total:
            state = "finished"
        return Status(
            state,
            rows.step,
            rows.total,
            printed,
            error if state == "failed" else None,
            last_printed=printed,
        )

    def notes(self) -> tuple[str, ...]:
        """What a bound left out."""
        return tuple(self._lines.notes())
