"""The rows of a training among printed lines: the lines that name their step in the same way, most often."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import islice

from diagnostics.language import N_
from diagnostics.model.series import RawSeries
from diagnostics.readers.columns import Columns
from diagnostics.readers.progress.lines import (
    OF_RL,
    OF_TRAINING,
    WARNED_KL,
    ProgressLine,
    numbers_of_pure_line,
    parse_line,
)
from diagnostics.readers.progress.tables import PrintedBlock, PrintedTable, row_of_block
from diagnostics.told import first_of, told

LEAST_ROWS = 3  # with the same names, before a text is known as a training
MOST_FALLING = 0.1  # of the rows have a step below that of the one before
VARYING, LEAST_DECIMALS = -1, 3  # of a number; fewer do not make it 0 by rounding
MOST_FORMS = 100  # that are told apart
MOST_LINES = 200  # of a JSON object; a longer one is no row
MOST_AHEAD = 100  # numbers above the first row that are kept
SHOWN = 8  # names or rows in a note
LEAST_COUNTED = 10  # rows, where none names a step
UNDERSTOOD = N_(
    "Read by the pattern of its lines: {rows} lines with {form} are steps, with {names}; {others} other lines were not "
    "understood"
)
COUNTED = N_(
    "Read by the pattern of its lines: {rows} lines with {names} name no step and are counted; {others} other lines "
    "were not understood"
)
BACK = N_("The steps go back at row {rows}: what follows there is another training, or the same one resumed")


class Progress:
    """What the lines so far hold."""

    def __init__(self) -> None:
        self._forms: dict[str, _Form] = {}
        self._latest: _Form | None = None
        self._table = PrintedTable()
        self._block = PrintedBlock()
        self._object: list[str] = []  # the lines of a JSON object so far
        self._counted = _Form("")
        self._ahead: dict[str, str] = {}  # numbers of the lines right above, as long as no row was seen
        self._lines = 0

    def feed(self, line: str) -> bool:
        """Process the next line; whether it is a row with numbers."""
        self._lines += bool(line.strip())
        return sum(self._take(words) for piece in line.split("\r") for words in self._whole(piece)) > 0

    def _whole(self, words: str) -> Sequence[str]:
        """What can be processed with this line: the line; of an object in several lines nothing before its last."""
        bare = words.strip()
        if not self._object and bare != "{":
            return (words,)
        self._object.append(words)
        if bare in ("}", "},"):
            pieces: Sequence[str] = (" ".join(map(str.strip, self._object)),)
        elif bare == "{" and len(self._object) > 1:  # the one before was no object, or holds another
            pieces, self._object = self._object[:-1], [words]
            return pieces
        elif len(self._object) > MOST_LINES:
            pieces = tuple(self._object)
        else:
            return ()
        self._object = []
        return pieces

    def _take(self, words: str) -> bool:
        """Process what a carriage return did not overwrite yet."""
        block = self._block.ended_by(words)
        is_row = bool(block) and self._take_block(block)
        return self._take_line(words) or is_row

    def _take_block(self, numbers: Mapping[str, str]) -> bool:
        """Process the numbers of a block that ended."""
        row = row_of_block(numbers)
        form = None if row is None else self._form_of(row.form)
        if row is None or form is None:
            self._take_unnumbered(numbers)
            return False
        form.add(row)
        self._latest = form
        return True

    def _take_line(self, words: str) -> bool:
        found = parse_line(words) or self._table.row(words)
        if found is not None and (form := self._form_of(found.form)) is not None:
            if self._ahead and found.numbers:
                form.lead_by(self._ahead)
            self._ahead = {}
            form.add(found)
            self._latest = form if found.numbers or found.is_heading else self._latest
            return bool(found.numbers)
        numbers = numbers_of_pure_line(words) if found is None else {}
        if numbers:
            self._take_unnumbered(numbers)
        elif words.strip():
            self._ahead = {}
        return False

    def _take_unnumbered(self, numbers: Mapping[str, str]) -> None:
        """Process a line of numbers: a part of the row above, and a row of its own where no row names its step."""
        if self._latest is None:
            self._ahead.update(islice(numbers.items(), MOST_AHEAD - len(self._ahead)))
        else:
            self._latest.add_below(numbers)
        if len(numbers) > 1 or WARNED_KL in numbers:
            self._counted.add(ProgressLine("", self._counted.count + 1, None, 0, 1, numbers))

    def _form_of(self, words: str) -> "_Form | None":
        """The rows of one form; None where there are too many forms to tell apart."""
        if words not in self._forms and len(self._forms) < MOST_FORMS:
            self._forms[words] = _Form(words)
        return self._forms.get(words)

    @property
    def rows(self) -> "_Form":
        """The rows of the form with the most of them, of a training by rewards before others; those without a step
        where no form is a training's."""
        most = max(self._forms.values(), key=lambda form: (form.is_of_rl, form.count), default=_Form(""))
        is_counted = not most.is_training and self._counted.is_training and self._counted.count >= LEAST_COUNTED
        return self._counted if is_counted else most

    @property
    def is_training(self) -> bool:
        """Whether enough rows have the same names, one of them a training's, and rising steps."""
        return self.rows.is_training

    def notes(self) -> tuple[str, ...]:
        """Which lines were understood, and how; where their steps go back."""
        return self.rows.notes(self._lines) if self.rows.count else ()


class _Form:
    """The rows that name their step in one way, and the lines of numbers below them."""

    def __init__(self, form: str) -> None:
        self.count = 0
        self.misfits = 0
        self.step: int | None = None
        self.total: int | None = None
        self._form = form
        self._columns = Columns()
        self._names = Counter[tuple[str, ...]]()
        self._known = set[str]()
        self._decimals: dict[str, int] = {}
        self._row_names = set[str]()  # of the last row, and of the lines below it so far
        self._below = Counter[str]()
        self._lines_below = self._rises = self._falls = 0
        self._first_falls: list[int] = []
        self._epochs = Epochs()
        self._heading: ProgressLine | None = None  # a step without numbers, which may follow in the lines below
        self._leading: frozenset[str] = frozenset()  # names of lines that stand above their row
        self._next: dict[str, str] = {}  # numbers of such lines, whose row is to come
        self._lines_above = 0

    def lead_by(self, numbers: Mapping[str, str]) -> None:
        """Take the numbers right above the first row for its own, and what has their names later for the next row's."""
        if self.count == 0:
            self._leading, self._next = frozenset(numbers), dict(numbers)

    def add(self, line: ProgressLine) -> None:
        """Add a row."""
        self.misfits += any(name in self._known for name in line.unread)
        self._heading = line if line.is_heading else None
        if not line.numbers:
            return
        step, self.total = self._epochs.step_of(line), self._epochs.total_of(line) or self.total
        self._compare(step)
        self.count, self.step = self.count + 1, step
        names = tuple(line.numbers)
        self._row_names = set(names)
        if len(self._names) < MOST_FORMS or names in self._names:
            self._names[names] += 1
        self._known.update(names)
        self._add_points(line.numbers, step)
        self._add_to_row(self._next)
        self._next = {}

    def add_below(self, numbers: Mapping[str, str]) -> None:
        """Add the numbers of a line below the last row, or below a heading; those of a line above the next one wait."""
        if not self._leading.isdisjoint(numbers):
            self._next.update(numbers)
            self._lines_above += 1
            return
        if self._heading is not None and numbers:
            self._lines_below += 1
            self.add(self._heading._replace(numbers=numbers, is_heading=False))
            return
        self._lines_below += self._add_to_row(numbers)

    def _add_to_row(self, numbers: Mapping[str, str]) -> bool:
        """Add numbers to the last row, and whether it had none of these names."""
        if self.step is None or not numbers or not self._row_names.isdisjoint(numbers):
            return False
        self._row_names.update(numbers)
        self._below.update(list(numbers))
        self._add_points(numbers, self.step)
        return True

    def _add_points(self, numbers: Mapping[str, str], step: int) -> None:
        for name, text in numbers.items():
            self._columns.add(name, step, float(text), 0.0)
            decimals = len(text.partition(".")[2]) if text[-1:].isdecimal() and "e" not in text.lower() else VARYING
            if self._decimals.setdefault(name, decimals) != decimals:
                self._decimals[name] = VARYING

    @property
    def rounded_to(self) -> float:
        """As in `DataHealth`, where numbers are printed with the same decimals in every row."""
        fixed = [decimals for decimals in self._decimals.values() if decimals >= LEAST_DECIMALS]
        return 0.5 * 10.0 ** -min(fixed) if fixed and self.count >= LEAST_ROWS else 0.0

    def _compare(self, step: int) -> None:
        """Count whether the steps rise or fall."""
        if self.step is None:
            return
        self._rises += step > self.step
        if step < self.step:
            self._falls += 1
            if len(self._first_falls) < SHOWN:
                self._first_falls.append(self.count + 1)

    @property
    def is_training(self) -> bool:
        """Whether enough rows have the same names, one of them a training's, and rising steps."""
        return self._is_named(OF_TRAINING)

    @property
    def is_of_rl(self) -> bool:
        """Whether they are a training's, and one of the names is more than a loss."""
        return self._is_named(OF_RL)

    def _is_named(self, words: re.Pattern[str]) -> bool:
        names, count = next(iter(self._names.most_common(1)), ((), 0))
        is_named = any(words.search(name) for name in (*names, *self._below))
        return is_named and count >= LEAST_ROWS and self._rises > 1 and self._falls <= MOST_FALLING * self.count

    def series(self) -> dict[str, RawSeries]:
        """The points of the rows, and of what is printed below nearly every one of them."""
        rare = {name for name, count in self._below.items() if 2 * count < self.count}
        return {name: series for name, series in self._columns.series().items() if name not in rare}

    def notes(self, lines: int) -> tuple[str, ...]:
        """How the rows were understood among so many lines."""
        names, falls = list(self.series()), ", ".join(map(str, self._first_falls))
        shown = first_of(names, SHOWN)
        above = self._lines_above + 1 if self._lines_above else 0  # that of the first row is known by the next ones
        others = lines - self.count - self._lines_below - above
        if not self._form:
            return (told(COUNTED, rows=self.count, names=shown, others=others),)
        found = told(UNDERSTOOD, rows=self.count, form=self._form, names=shown, others=others)
        return (found, *((told(BACK, rows=falls),) if falls else ()))


class Epochs:
    """Continues the count of steps that begin anew with each epoch; steps that already go on stay as they are."""

    def __init__(self) -> None:
        self._step = self._epoch = self._passed = 0
        self._begins_anew = True

    def step_of(self, line: ProgressLine) -> int:
        """The step of the next row in the whole training."""
        is_next = line.epoch > self._epoch
        if line.step >= self._step:
            self._begins_anew = self._begins_anew and not (is_next and self._step)
        elif is_next:
            self._passed += line.total or self._step + (line.step == 0)
        else:
            self._passed = 0
        self._step, self._epoch = line.step, line.epoch
        return self._passed + line.step

    def total_of(self, line: ProgressLine) -> int | None:
        """The planned steps that a row names, of all epochs."""
        return line.total and line.total * (line.epochs if self._begins_anew else 1)
