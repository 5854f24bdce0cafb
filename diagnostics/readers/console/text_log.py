"""One text that a trainer printed, as far as it was read: what is in it of the training that is asked for."""

from collections.abc import Iterator
from functools import reduce
from pathlib import Path
from typing import NamedTuple

from diagnostics.foreign_files import bytes_of_a_poll
from diagnostics.model.status import Status
from diagnostics.readers.base import UnreadableRun
from diagnostics.readers.console.clock import TextClock
from diagnostics.readers.console.failure import Ending
from diagnostics.readers.console.last_row import is_last_row
from diagnostics.readers.console.lines import Bar, parse_line
from diagnostics.readers.console.own_rows import OwnTraining
from diagnostics.readers.console.plain_text import LONGEST_ROW
from diagnostics.readers.console.trainings import Training, Trainings
from diagnostics.readers.console.wrapping import Unwrapping
from diagnostics.readers.files.text_lines import TextLines
from diagnostics.readers.liveness import CRASH_SECONDS, state_of
from diagnostics.readers.wandb.run_folders import run_of_output, started
from diagnostics.told import told

BAR_BYTES = 1 << 11  # that may separate a row from the next progress bar


class PrintedText:
    """What was read of one text so far: the trainings in it."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self.trainings = Trainings()
        self.lines = TextLines(file)
        self._unwrapping = Unwrapping()
        run = run_of_output(file)
        self.clock = TextClock(started(run) if run else None)

    def read(self) -> bool:
        """Read what was appended; False if nothing was."""
        before = self.lines.tail.offset
        for line in self.lines.lines():
            self._take_line(line)
        begun = self.lines.incomplete_line(LONGEST_ROW)
        has_last_row = is_last_row(begun, self._file)
        if has_last_row:
            self.lines.end_line()
            self._take_line(begun)
        bar = self.lines.incomplete_line(BAR_BYTES)  # a progress bar's line ends only with the next row
        for item in parse_line(bar):
            if isinstance(item, Bar):
                self.trainings.add_position(item)
        return has_last_row or self.lines.tail.offset != before

    def unended_lines(self) -> Iterator[str]:
        """The lines at the end that may go on: those of a row that has begun, and the incomplete one."""
        yield from self._unwrapping.held
        yield self.lines.incomplete_line(LONGEST_ROW)

    def _take_line(self, line: str) -> None:
        for whole in self._unwrapping.feed(line):
            self.clock.feed(whole)
            self.trainings.feed(whole)


class _State(NamedTuple):
    """The state of a file that was, and how much of it a poll reads."""

    file: Path
    inode: int
    size: int
    written_ns: int
    poll: int


def _state_of(file: Path) -> _State | None:
    try:
        found = file.stat()
    except OSError:  # gone just now
        return None
    return _State(file, found.st_ino, found.st_size, found.st_mtime_ns, bytes_of_a_poll())


class _LastRead:
    """The text that was last read to its end by the reader of a training that another one follows there.

    Nothing more comes for that training, so nobody reads on in this text, and readers of the others may share it.
    """

    def __init__(self) -> None:
        self._kept: tuple[_State, PrintedText] | None = None

    def text_of(self, state: _State) -> PrintedText | None:
        """The text of a file in this state."""
        kept = self._kept
        return kept[1] if kept is not None and kept[0] == state else None

    def keep(self, state: _State, text: PrintedText) -> None:
        """Keep this text instead."""
        self._kept = state, text


_last_read = _LastRead()


class TextLog:
    """A text, and which of the trainings in it is asked for: 0 stands for the only one."""

    def __init__(self, file: Path, number: int) -> None:
        self._file, self._number = file, number
        self._text = PrintedText(file)
        self._shared: _State | None = None  # the state of the file if the text is not this log's alone

    @property
    def was_replaced(self) -> bool:
        return self._text.lines.tail.was_replaced

    @property
    def training(self) -> Training | OwnTraining:
        """The training that is asked for. Raises UnreadableRun if the text holds others."""
        found = self._text.trainings.found
        if self._number == 0 and len(found) > 1:
            listed = ", ".join(str(self._file / str(number)) for number, _ in enumerate(found, start=1))
            raise UnreadableRun(
                self._file,
                told(
                    "{file} holds {count} trainings; open one of them: {listed}",
                    file=self._file,
                    count=len(found),
                    listed=listed,
                ),
            )
        if self._number > len(found):
            path = self._file / str(self._number)
            raise UnreadableRun(
                path,
                told(
                    "{path} is gone: {name} holds {count} trainings now",
                    path=path,
                    name=self._file.name,
                    count=len(found),
                ),
            )
        return found[max(self._number, 1) - 1]

    @property
    def ending(self) -> Ending:
        """How the training ended, by its last lines and the text's possibly incomplete one."""
        ending = self.training.ending
        return ending if self._is_followed else reduce(Ending.with_last, self._text.unended_lines(), ending)

    @property
    def _is_followed(self) -> bool:
        return 0 < self._number < len(self._text.trainings.found)

    def read(self) -> bool:
        """Read what was appended; False if nothing was."""
        state = _state_of(self._file) if self._number else None
        if self._shared is not None:
            if self._is_followed or self._shared == state:
                return False
            self._text, self._shared = PrintedText(self._file), None
        if state is not None and (text := _last_read.text_of(state)):
            self._text, self._shared = text, state
            return True
        has_grown = self._text.read()
        if state is not None and self._is_followed and not self._text.lines.tail.unread:
            _last_read.keep(state, self._text)
            self._shared = state
        return has_grown

    def status(self, written: float, now: float) -> Status:
        training, ending = self.training, self.ending
        step, total = training.last_step, training.total
        printed = self._text.clock.written(self._file, written)
        state = "died" if self._is_followed else "unknown" if printed is None else state_of(printed, now)
        if ending.error is not None and (self._is_followed or printed is None or now - printed > CRASH_SECONDS):
            state = "stopped" if ending.was_by_hand else "failed"
        elif training.has_ended or (state != "running" and step is not None and total is not None and step >= total):
            state = "finished"
        error = ending.error if state == "failed" else None
        return Status(state=state, step=step, total=total, last_written=printed, error=error, last_printed=printed)

    @property
    def malformed(self) -> int:
        return self.training.misfits + self._text.lines.too_long

    def notes(self) -> tuple[str, ...]:
        return (*self.training.notes(), *self._text.lines.notes())
