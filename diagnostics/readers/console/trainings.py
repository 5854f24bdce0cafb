"""Tells apart the trainings that are printed in one text, one after the other.

A row after the summary of a training, after a bar that starts anew, or one that begins again where the training began,
is of another training. One that goes back, but not to the beginning, is of a training that resumed from a checkpoint.
After the summary, rows in a form of somebody's own may be another training, too.
"""

from dataclasses import dataclass, field, replace

from diagnostics.model.series import RawSeries
from diagnostics.readers.columns import Columns
from diagnostics.readers.console.failure import Ending
from diagnostics.readers.console.lines import EVAL, Bar, Erasure, Panel, Row, parse_line
from diagnostics.readers.console.own_rows import OwnRows, OwnTraining
from diagnostics.readers.console.printed_settings import PrintedSettings
from diagnostics.readers.console.row_steps import SUMMARY, RowSteps, is_of_training

ROUNDED = "All numbers are printed with three decimals: what is nearer to 0 than 0.0005 reads 0"
LEAST_SHOWN = 0.0005
_EPISODES, _EPOCH = "episode", "epoch"
_LAST_WORDS = "Final validation metrics: {"  # of verl


@dataclass(slots=True)
class Training:
    """What was printed of one training; `columns` are indexed by row number, from 0."""

    settings: PrintedSettings = field(default_factory=PrintedSettings)
    rows: RowSteps = field(default_factory=RowSteps)
    columns: Columns = field(default_factory=Columns)
    ending: Ending = field(default_factory=Ending)
    misfits: int = 0
    is_rounded: bool = False
    has_last_words: bool = False

    @property
    def has_ended(self) -> bool:
        """Whether the training said that it ended."""
        return self.has_last_words or self.rows.has_ended

    @property
    def last_step(self) -> int | None:
        """The step of the last row."""
        steps = self.rows.steps()
        return int(steps[-1]) if len(steps) else None

    @property
    def total(self) -> int | None:
        """The planned steps, where they are printed."""
        return self.rows.total

    def series(self) -> dict[str, RawSeries]:
        """All points so far, at the steps inferred so far."""
        steps = self.rows.steps()
        return {tag: replace(series, steps=steps[series.steps]) for tag, series in self.columns.series().items()}

    @property
    def rounded_to(self) -> float:
        """As in `DataHealth`."""
        return LEAST_SHOWN if self.is_rounded else 0.0

    def notes(self) -> tuple[str, ...]:
        """How the steps were inferred, and that the numbers are rounded."""
        return (*self.rows.notes(), *((ROUNDED,) if self.is_rounded else ()))


class Beginnings:
    """Finds the rows with which another training begins."""

    def __init__(self) -> None:
        self._first: dict[str, float] = {}  # of the training: step, epoch and episode
        self._last: dict[str, float] = {}
        self._longest = 0  # of the bars that started
        self._has_moved = False  # that bar: one is drawn anew at its start, too
        self.starts_anew = False
        self.has_ended = False

    @property
    def awaits_another(self) -> bool:
        """Whether the next row of training is expected to be of another one."""
        return self.has_ended or self.starts_anew

    def add_bar(self, bar: Bar) -> None:
        """Process the position of a bar.

        That of an evaluation starts often; it is shorter than the training's, or is followed by its own row.
        """
        if bar.step == 0 and bar.total >= self._longest:
            self.starts_anew = self._has_moved and bool(self._last) and bar.total == self._longest
            self._longest, self._has_moved = bar.total, False
        elif bar.total == self._longest:
            self._has_moved = True

    def is_first(self, row: Row) -> bool:
        """Whether another training begins with this row, which is the next one."""
        reached = _reached(row) if is_of_training(row) else {}
        is_behind = self.awaits_another or any(map(self._begins_again, reached.items()))
        begins, self.starts_anew = bool(reached) and is_behind, False
        if begins:
            self._first, self._last, self.has_ended = {}, {}, False
        self._first = {**reached, **self._first}
        self._last.update(reached)
        self.has_ended = self.has_ended or SUMMARY in row.values
        return begins

    def _begins_again(self, reached: tuple[str, float]) -> bool:
        name, value = reached
        return name in self._last and value < self._last[name] and value <= self._first[name]


class Trainings:
    """The trainings of one text, fed with its lines."""

    def __init__(self) -> None:
        self._training = Training()  # the last one with rows of a known form
        self.found: list[Training | OwnTraining] = [self._training]
        self._beginnings = Beginnings()
        self._own = OwnRows()
        self._next = RowSteps()  # the positions of bars since the end of a training: another one may have begun
        self._settings = PrintedSettings()  # printed since the first row of the training

    def feed(self, line: str) -> None:
        """Process the next line of the text."""
        if isinstance(self.found[-1], Training):
            self.found[-1].ending.feed(line)
        (self._settings if self._training.columns.tags else self._training.settings).feed(line)
        has_row = False
        for item in parse_line(line):
            has_row = has_row or isinstance(item, Row)
            self.add(item)
        if self._beginnings.has_ended and not has_row:
            self._feed_own(line)
        self._training.has_last_words = self._training.has_last_words or _LAST_WORDS in line

    def _feed_own(self, line: str) -> None:
        if (known := self._own.feed(line)) is not None:
            known.settings, self._settings = self._settings, PrintedSettings()
            self.found.append(known)

    def add(self, item: Row | Bar | Panel | Erasure) -> None:
        """Process what a line contains."""
        if isinstance(item, Row):
            self._add_row(item)
            return
        if isinstance(item, Bar):
            self._beginnings.add_bar(item)
        self.add_position(item)

    def add_position(self, item: Bar | Panel | Erasure) -> None:
        """Record the position of a bar, also of one whose line is not complete yet."""
        if self._beginnings.awaits_another:
            self._next.add_position(item)
        if not self._beginnings.starts_anew:
            self._training.rows.add_position(item)

    def _add_row(self, row: Row) -> None:
        if not row.values:
            self._training.misfits += row.misfits
            return
        if self._beginnings.is_first(row):
            self._training = Training(self._settings, self._next)
            self.found.append(self._training)
            self._settings, self._next = PrintedSettings(), RowSteps()
            self._own.end()
        training = self._training
        training.misfits += row.misfits
        training.ending.clear()
        training.is_rounded = training.is_rounded or row.is_rounded
        number = training.rows.add_row(row)
        for name, value in row.values.items():
            training.columns.add(_tag(name), number, value, 0.0)


def _reached(row: Row) -> dict[str, float]:
    """How far a training is by one of its rows."""
    found = {name: row.values[name] for name in (_EPOCH, _EPISODES) if name in row.values}
    return {**found, "step": float(row.step)} if row.step is not None else found


def _tag(name: str) -> str:
    """The name that the Trainer's trackers use: `eval_x` becomes `eval/x`."""
    return f"eval/{name.removeprefix(EVAL)}" if name.startswith(EVAL) else name
