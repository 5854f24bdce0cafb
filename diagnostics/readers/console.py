"""The reader of what a trainer printed: a console's text in a file, by `> train.log`, tee, nohup or Slurm.

It is all that is left of a training without a tracker, which is the default of TRL with transformers 5.
"""

import re
from array import array
from collections import deque
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from stat import S_ISREG

import numpy as np

from diagnostics.readers import RunRef
from diagnostics.readers.columns import Columns
from diagnostics.readers.console_lines import Bar, Panel, Row, holds_beginning, holds_row, printed
from diagnostics.readers.console_settings import PrintedSettings
from diagnostics.readers.single_file import FileReader, name_of, state_of
from diagnostics.readers.text_lines import TextLines
from diagnostics.run import RawSeries, Recording, Source, Status, Steps
from diagnostics.terminal import uncoloured

SUFFIXES = frozenset({".log", ".out", ".txt"})
HEAD_BYTES, END_BYTES = 1 << 20, 1 << 18  # in which a training has to show for a text to be taken for a console's
CRASH_SECONDS = 30.0  # without a word after a traceback: it was the end
MOST_TEXTS = 1 << 15  # of which is remembered whether they are a console's
LAST_LINES = 40
BAR_BYTES = 1 << 11  # in which the first bar after a row stands
OF_WANDB = "files"  # the folder in which W&B keeps its own copy of what was printed
_MOVING = 0.9  # of the rows: the bar must have moved since the row before, or its steps are not theirs
_UNKNOWN = -(2**63)
_TRACEBACK = "Traceback (most recent call last):"
_ERROR = re.compile(
    r"(?:\[?rank\d+\]?:\s*|\([^()]{0,80}\)\s+)?(?P<error>(?:\w+\.)*\w*(?:Error|Exception|Interrupt|Exit)\b.*)"
)
_OF_LAUNCHER = re.compile(r"(?:\w+\.)*(?:ChildFailedError|CalledProcessError)\b")  # of torchrun, of accelerate launch
_KILLED = re.compile(  # said by a shell, by Slurm, by torchrun
    r"Killed|\S{1,200}: line \d+:\s+\d+ Killed\b.*"
    r"|.{0,200}\boom[-_]kill\b.*|.{0,80}Signal 9 \(SIGKILL\) received by PID.*"
)
_OF_KILLING = ("Killed", "oom_kill", "oom-kill", "SIGKILL")
_SUMMARY, _EVAL, _EPISODES = "train_runtime", "eval_", "episode"
ROUNDED = "All numbers are printed with three decimals: what is nearer to 0 than 0.0005 reads 0"
_LEAST_SHOWN = 0.0005
BY_BAR = "The rows name no step: theirs are those of the progress bar"
SEVERAL = (
    "{count} trainings are printed in this text, one after the other; the later ones begin with row {rows}. "
    "The verdict is on all of them together: cut the text there for one on each"
)
COUNTED = "The rows name no step and are counted: with logging_steps = 10, row 5 is step 50"


def runs_in(folder: Path) -> tuple[RunRef, ...]:
    """Every text right in the folder in which a trainer's row of metrics stands, or that it began or failed at it."""
    named = (file for file in sorted(folder.iterdir()) if file.suffix in SUFFIXES)
    files = [file for file in named if _is_console(file)]
    home = folder.parent if folder.name == OF_WANDB else folder
    return tuple(RunRef(file, "console", name_of(file), home) for file in files)


def started(path: Path) -> float | None:
    """Unknown: rows are printed without their time."""


class Reader(FileReader["_Log"]):
    """Follows one text."""

    def opened(self) -> "_Log":
        return _Log(self.path)

    def record(self, log: "_Log", status: Status) -> Recording:
        return Recording(
            path=self.path,
            sources=(Source("console", self.path),),
            run_id=self.path.stem,
            name=name_of(self.path),
            tags=log.series(),
            config=log.settings.found,
            status=status,
            console=self.path,
            console_tail=log.last_words if status.state == "failed" else "",
            malformed=log.malformed,
            rounded_to=_LEAST_SHOWN if log.is_rounded else 0.0,
            notes=log.notes(),
        )


class _Log:
    """What was read of one text so far."""

    def __init__(self, path: Path) -> None:
        self.malformed = 0
        self.is_rounded = False
        self.settings = PrintedSettings()
        self._columns = Columns()  # on the rows' numbers, from 0
        self._rows = _Places()
        self._lines = TextLines(path)
        self._ending = _Ending()

    @property
    def was_replaced(self) -> bool:
        return self._lines.tail.was_replaced

    @property
    def last_words(self) -> str:
        return "\n".join(self._ending.lines)

    def read(self) -> bool:
        before = self._lines.tail.offset
        for line in self._lines.lines():
            self._ending.take(line)
            self.settings.take(line)
            for item in printed(line):
                self._take(item)
        for item in printed(self._lines.begun(BAR_BYTES)):  # a bar ends its line with the next row only
            if isinstance(item, Bar):
                self._take(item)
        return self._lines.tail.offset != before

    def series(self) -> dict[str, RawSeries]:
        """All points so far, on the steps that are known by now."""
        steps = self._rows.steps()
        found = self._columns.series()
        return {tag: replace(series, steps=steps[series.steps]) for tag, series in found.items()}

    def status(self, written: float, now: float) -> Status:
        steps, total, state = self._rows.steps(), self._rows.total, state_of(written, now)
        step = int(steps[-1]) if len(steps) else None
        if self._ending.error is not None and now - written > CRASH_SECONDS:
            state = "failed"
        elif state == "silent" and step is not None and total is not None and step >= total:
            state = "finished"
        error = self._ending.error if state == "failed" else None
        return Status(state=state, step=step, total=total, last_written=written, error=error)

    def notes(self) -> tuple[str, ...]:
        return (*self._rows.notes(), *((ROUNDED,) if self.is_rounded else ()))

    def _take(self, item: Row | Bar | Panel) -> None:
        if not isinstance(item, Row):
            self._rows.note(item)
            return
        self.malformed += item.misfits
        if item.values:
            self._ending.forget()
            self.is_rounded = self.is_rounded or item.is_rounded
            number = self._rows.begin(item)
            for name, value in item.values.items():
                self._columns.add(_tag(name), number, value, 0.0)


class _Places:
    """Which step each row belongs to: the one that it says, the one that is printed around it, or its number."""

    def __init__(self) -> None:
        self._total: int | None = None
        self._firsts = [0]  # the number of each training's first row
        self._has_ended = False
        self._said = array("q")  # by the row or the table of completions behind it
        self._shown = array("q")  # by the bar: first after the row, or else last before it
        self._counted = array("q")
        self._trains = array("b")
        self._bar: Bar | None = None
        self._next_bar: Bar | None = None  # of what came after a training that ended
        self._awaits_bar = False

    def begin(self, row: Row) -> int:
        """The number of a row that was met just now, from 0."""
        names = row.values.keys() - {"epoch"}
        trains = _SUMMARY not in names and not all(name.startswith(_EVAL) for name in names)
        counted = trains + (self._counted[-1] if self._counted else 0)
        if trains and self._has_ended:
            self._begin_another()
        bar = self._bar
        self._total = row.total or self._total or (bar.total if bar else None)
        self._said.append(self._step_said(row, counted))
        self._shown.append(bar.step if bar and bar.total == self._total else _UNKNOWN)
        self._counted.append(counted)
        self._trains.append(trains)
        self._awaits_bar = True
        self._has_ended = self._has_ended or _SUMMARY in row.values
        return len(self._said) - 1

    def _begin_another(self) -> None:
        """A row of training behind the summary of one that ended is another's, whose bar may have begun already."""
        self._firsts.append(len(self._said))
        bar = self._bar if self._bar and self._bar.step < self._bar.total else self._next_bar
        self._has_ended, self._total, self._bar, self._next_bar = False, None, bar, None

    def _step_said(self, row: Row, counted: int) -> int:
        """What the row says of its step; TRL's PPO counts episodes, and prints a row for each update."""
        if row.step is not None:
            return row.step
        if _SUMMARY in row.values and self._said:
            return self._said[-1]
        return counted if _EPISODES in row.values else _UNKNOWN

    def note(self, item: Bar | Panel) -> None:
        """Take what a bar or a table of completions says."""
        if isinstance(item, Panel):
            if self._said and self._said[-1] == _UNKNOWN:
                self._said[-1] = item.step
        elif self._total == item.total or (self._total is None and item.step < item.total):
            self._bar = item
            if self._awaits_bar:
                self._shown[-1], self._awaits_bar = item.step, False
        elif self._has_ended:
            self._next_bar = item if item.step < item.total else None

    @property
    def total(self) -> int | None:
        """The planned steps; not known where the rows of several trainings are counted on."""
        is_counted_on = len(self._firsts) > 1 and self._known()[1] == COUNTED
        return None if is_counted_on else self._total

    def steps(self) -> Steps:
        """(R,) the step of each row so far."""
        return self._known()[0]

    def notes(self) -> tuple[str, ...]:
        """How the rows' steps are known, unless they say them; and that they are of several trainings."""
        note, (_, *later) = self._known()[1], self._firsts
        rows = ", ".join(str(first + 1) for first in later)
        several = SEVERAL.format(count=len(self._firsts), rows=rows)
        return (*((note,) if note else ()), *((several,) if later else ()))

    def _known(self) -> tuple[Steps, str]:
        """The rows' steps, and what must be said of them."""
        said = np.array(self._said, dtype=np.int64)
        if (said != _UNKNOWN).all():
            return said, ""
        shown = np.where(said == _UNKNOWN, np.array(self._shown, dtype=np.int64), said)
        return (shown, BY_BAR) if self._moves(shown) else (np.array(self._counted, dtype=np.int64), COUNTED)

    def _moves(self, shown: Steps) -> bool:
        """Whether what is printed around the rows goes along with them, as it does not where one is held back."""
        of_training = shown[np.array(self._trains, dtype=np.bool_)]
        if (shown == _UNKNOWN).any() or not len(of_training):
            return False
        return len(of_training) < 2 or bool(np.mean(np.diff(of_training) != 0) >= _MOVING)


class _Ending:
    """The last lines, and the error that the process died of, if these show one.

    A launcher says after it that one of its processes failed, which is an error by itself only where no other is known.
    """

    def __init__(self) -> None:
        self.lines = deque[str](maxlen=LAST_LINES)
        self.error: str | None = None
        self._is_in_traceback = False

    def take(self, line: str) -> None:
        words = uncoloured(line.rpartition("\r")[2]).rstrip()
        self.lines.append(words)
        if _TRACEBACK in words:
            self._is_in_traceback = True
        elif self._is_in_traceback and (match := _ERROR.match(words)):
            self._fail(match["error"], is_root=_OF_LAUNCHER.match(match["error"]) is None)
        elif any(word in words for word in _OF_KILLING) and _KILLED.fullmatch(words.strip()):
            self._fail(words.strip(), is_root=self._is_unknown)

    @property
    def _is_unknown(self) -> bool:
        return self.error is None or _OF_LAUNCHER.match(self.error) is not None

    def _fail(self, error: str, *, is_root: bool) -> None:
        if is_root or self.error is None:
            self.error = error

    def forget(self) -> None:
        """The training went on after all."""
        self.error, self._is_in_traceback = None, False


def _tag(name: str) -> str:
    """The name that the Trainer's trackers use: `eval_x` is `eval/x` there."""
    return f"eval/{name.removeprefix(_EVAL)}" if name.startswith(_EVAL) else name


def _is_console(file: Path) -> bool:
    try:
        found = file.stat()
    except OSError:  # gone just now, or a link to nowhere
        return False
    return S_ISREG(found.st_mode) and _shows_training(file, found.st_ino, found.st_size, found.st_mtime_ns)


@lru_cache(MOST_TEXTS)
def _shows_training(file: Path, inode: int, size: int, changed: int) -> bool:
    """Whether a text's head or end is of a training; one that has not changed since is not read again."""
    try:
        with file.open("rb") as text:
            if _is_of_training(text.read(HEAD_BYTES)):
                return True
            text.seek(max(HEAD_BYTES, size - END_BYTES))
            return _is_of_training(text.read(END_BYTES))
    except OSError:
        return False


def _is_of_training(text: bytes) -> bool:
    return holds_row(text) or holds_beginning(text)
