"""Assigns a step to each row that one training printed.

A row that names its step is believed. Others have the step of the progress bar, which is drawn anew for each row; a bar
on the other stream is ahead of rows that a buffer held back, so what counts is where it was drawn anew, not where the
row is found. Without a bar, epochs and the planned steps tell how many steps lie between two rows.
"""

from array import array

import numpy as np
import numpy.typing as npt

from diagnostics.model.series import Steps, Values
from diagnostics.readers.console.lines import EVAL, Bar, Erasure, Panel, Row

BY_BAR = "The rows name no step: theirs are those of the progress bar"
BY_EPOCHS = "The rows name no step: theirs follow from their epochs and the planned steps"
COUNTED = "The rows name no step and are counted: with logging_steps = 10, row 5 is step 50"
SUMMARY = "train_runtime"  # in the last row of a training
_RATE = "train_steps_per_second"  # beside it
_RATE_DIGIT = 0.0005  # of that rate, printed with three decimals
_EPISODES, _EPOCH = "episode", "epoch"
_MOVING = 0.9  # of the rows for which the bar must have advanced, or its steps are not used
_HALF_A_DIGIT = 0.0051  # of an epoch, printed with two decimals
_LEAST_DIGITS = 1e-3  # relative: or with four digits
_UNKNOWN = -(2**63)


class RowSteps:
    """The step of each row: the one it states, the one printed around it, or its number."""

    def __init__(self) -> None:
        self.total: int | None = None
        """The planned steps, where they are printed."""
        self._stated = array("q")  # stated by the row or by the table of completions after it
        self._shown = array("q")  # from the bar: the first after the row, else the last before it
        self._counted = array("q")
        self._epochs = array("d")
        self._trains = array("b")
        self._redrawn = array("q")  # the bar's step each time that it was erased for a row and drawn anew
        self._is_erased = False
        self._last_epoch: float | None = None  # of a training that ended
        self._bar: Bar | None = None
        self._awaits_bar = False

    def add_row(self, row: Row) -> int:
        """The number of the row just found, from 0."""
        trains = is_of_training(row)
        counted = trains + (self._counted[-1] if self._counted else 0)
        bar, epoch = self._bar, row.values.get(_EPOCH, np.nan)
        self.total = row.total or self.total or (bar.total if bar else None)
        self._stated.append(self._stated_step(row, counted))
        self._shown.append(bar.step if bar and bar.total == self.total else _UNKNOWN)
        self._counted.append(counted)
        self._epochs.append(epoch)
        self._trains.append(trains)
        self._awaits_bar = True
        if SUMMARY in row.values:
            self._last_epoch = epoch
            self.total = self.total or _trained_steps(row)
        return len(self._stated) - 1

    def _stated_step(self, row: Row, counted: int) -> int:
        """The step stated by the row; TRL's PPO counts episodes and prints a row for each update."""
        if row.step is not None:
            return row.step
        if SUMMARY in row.values and self._stated:
            return self._stated[-1]
        return counted if _EPISODES in row.values else _UNKNOWN

    def add_position(self, item: Bar | Panel | Erasure) -> None:
        """Record the position of a bar, that it was erased, or the heading of a table of completions."""
        if isinstance(item, Erasure):
            self._is_erased = self._bar is not None
        elif isinstance(item, Panel):
            if self._stated and self._stated[-1] == _UNKNOWN:
                self._stated[-1] = item.step
        elif self._is_of_rows(item):
            self._add_bar(item)

    def _is_of_rows(self, bar: Bar) -> bool:
        """Whether a bar is the one that moves with the rows: evaluations and loops before the training have others."""
        is_another = bar.total != self.total
        if is_another and self._is_erased and not self._stated:  # the first bar behind an erasure moves with the rows
            self.total = bar.total
            del self._redrawn[:]
        return self.total == bar.total or (self.total is None and bar.step < bar.total)

    def _add_bar(self, bar: Bar) -> None:
        self._bar = bar
        if self._is_erased:
            self._redrawn.append(bar.step)
            self._is_erased = False
        if self._awaits_bar:
            self._shown[-1], self._awaits_bar = bar.step, False

    @property
    def has_ended(self) -> bool:
        """Whether the training printed its summary."""
        return self._last_epoch is not None

    def steps(self) -> Steps:
        """(R,) The step of each row so far."""
        return self._inferred_steps()[0]

    def notes(self) -> tuple[str, ...]:
        """How the steps were inferred, unless the rows state them."""
        note = self._inferred_steps()[1]
        return (note,) if note else ()

    def _inferred_steps(self) -> tuple[Steps, str]:
        """The rows' steps, and what has to be noted about them."""
        stated = np.array(self._stated, dtype=np.int64)
        if (stated != _UNKNOWN).all():
            return stated, ""
        counted = np.array(self._counted, dtype=np.int64)
        if self.has_ended and self.total == counted[-1]:
            return counted, ""  # each step has its row
        redrawn = self._drawn_anew(stated)
        if redrawn is not None:
            return redrawn, BY_BAR
        shown = np.where(stated == _UNKNOWN, np.array(self._shown, dtype=np.int64), stated)
        if self._bar_advances(shown):
            return shown, BY_BAR
        by_epochs = self._by_epochs()
        return (counted, COUNTED) if by_epochs is None else (by_epochs, BY_EPOCHS)

    def _drawn_anew(self, stated: Steps) -> Steps | None:
        """The steps at which the bar was drawn anew, one for each row; None if these are not the rows' steps."""
        rows = len(stated)
        is_complete = len(self._redrawn) == rows if self.has_ended else len(self._redrawn) >= rows
        steps = np.array(self._redrawn[:rows], dtype=np.int64)
        if not is_complete or (stated != _UNKNOWN).any() or not _is_increasing(steps[self._is_of_training]):
            return None
        return steps if self._fits_epochs(steps) else None

    def _fits_epochs(self, steps: Steps) -> bool:
        """Whether the epochs advance as the steps do, to the digits printed."""
        epochs = np.array(self._epochs)
        if np.isnan(epochs).any() or not epochs[-1] or not steps[-1]:
            return not np.isnan(epochs).any()
        expected = steps * (epochs[-1] / steps[-1])
        return bool((np.abs(epochs - expected) <= 2 * _HALF_A_DIGIT + _LEAST_DIGITS * expected).all())

    def _bar_advances(self, shown: Steps) -> bool:
        """Whether the bar advances with the rows; it does not if one of the two streams is buffered."""
        of_training = shown[self._is_of_training]
        if (shown == _UNKNOWN).any() or not len(of_training):
            return False
        return len(of_training) < 2 or bool(np.mean(np.diff(of_training) != 0) >= _MOVING)

    def _by_epochs(self) -> Steps | None:
        """The multiples of logging_steps that are nearest to the rows' epochs, in a training that ended."""
        epochs, trains = np.array(self._epochs), self._is_of_training
        rows, end = int(trains.sum()), self._last_epoch
        if not self.total or not end or not rows or np.isnan(epochs).any() or not _is_increasing(epochs[trains]):
            return None
        reached = epochs * (self.total / end)
        tolerance = (_HALF_A_DIGIT + _LEAST_DIGITS * epochs) * (self.total / end) + reached * _HALF_A_DIGIT / end
        for every in _candidates(self.total, rows, reached[trains]):
            steps = np.minimum(np.rint(reached / every).astype(np.int64) * every, self.total)
            is_near = np.abs(steps - reached) <= tolerance
            if is_near[trains].all() and _is_increasing(steps[trains]) and steps[trains][0] >= every:
                return np.where(trains, steps, np.rint(reached).astype(np.int64))
        return None

    @property
    def _is_of_training(self) -> npt.NDArray[np.bool_]:
        return np.array(self._trains, dtype=np.bool_)


def is_of_training(row: Row) -> bool:
    """Whether a row is one of training, neither an evaluation's nor the summary."""
    names = row.values.keys() - {_EPOCH}
    return SUMMARY not in names and not all(name.startswith(EVAL) for name in names)


def _candidates(total: int, rows: int, reached: Values) -> list[int]:
    """What logging_steps may be: with so many rows in so many steps, or by the usual distance of two rows."""
    by_count = range(total // (rows + 1) + 1, total // rows + 1)
    usual = [round(float(np.median(np.diff(reached))))] if len(reached) > 1 else []
    return [every for every in (*by_count, *usual) if every > 0]


def _is_increasing(numbers: npt.NDArray[np.int64] | Values) -> bool:
    return bool((np.diff(numbers) > 0).all())


def _trained_steps(row: Row) -> int | None:
    """The steps of a training, from its summary; None where rounding leaves them open."""
    seconds, rate = row.values[SUMMARY], row.values.get(_RATE, np.nan)
    steps = seconds * rate
    is_exact = seconds * _RATE_DIGIT < 0.5 <= steps
    return round(steps) if is_exact else None
