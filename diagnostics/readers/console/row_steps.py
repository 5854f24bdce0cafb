"""Assigns a step to each row of a console, and detects where one training ends and another begins."""

from array import array

import numpy as np

from diagnostics.model.series import Steps
from diagnostics.readers.console.lines import EVAL, Bar, Panel, Row

BY_BAR = "The rows name no step: theirs are those of the progress bar"
COUNTED = "The rows name no step and are counted: with logging_steps = 10, row 5 is step 50"
SEVERAL = (
    "{count} trainings are printed in this text, one after the other; the later ones begin with row {rows}. "
    "The verdict is on all of them together: cut the text there for one on each"
)
_SUMMARY, _EPISODES = "train_runtime", "episode"
_MOVING = 0.9  # of the rows for which the bar must have advanced, or its steps are not used
_UNKNOWN = -(2**63)


class RowSteps:
    """The step of each row: the one it states, the one printed around it, or its number."""

    def __init__(self) -> None:
        self._total: int | None = None
        self._firsts = [0]  # the number of each training's first row
        self._has_ended = False
        self._episodes = 0.0  # which only increase within a training
        self._stated = array("q")  # stated by the row or by the table of completions after it
        self._shown = array("q")  # from the bar: the first after the row, else the last before it
        self._counted = array("q")
        self._trains = array("b")
        self._bar: Bar | None = None
        self._next_bar: Bar | None = None  # after a training that ended
        self._awaits_bar = False

    def add_row(self, row: Row) -> int:
        """The number of the row just found, from 0."""
        names = row.values.keys() - {"epoch"}
        trains = _SUMMARY not in names and not all(name.startswith(EVAL) for name in names)
        counted = trains + (self._counted[-1] if self._counted else 0)
        episodes = row.values.get(_EPISODES, self._episodes)
        if trains and (self._has_ended or episodes < self._episodes):
            self._begin_another()
        self._episodes = episodes
        bar = self._bar
        self._total = row.total or self._total or (bar.total if bar else None)
        self._stated.append(self._stated_step(row, counted))
        self._shown.append(bar.step if bar and bar.total == self._total else _UNKNOWN)
        self._counted.append(counted)
        self._trains.append(trains)
        self._awaits_bar = True
        self._has_ended = self._has_ended or _SUMMARY in row.values
        return len(self._stated) - 1

    def _begin_another(self) -> None:
        """A row after the summary of a finished training belongs to the next one, whose bar may have started."""
        self._firsts.append(len(self._stated))
        bar = self._bar if self._bar and self._bar.step < self._bar.total else self._next_bar
        self._has_ended, self._total, self._bar, self._next_bar = False, None, bar, None

    def _stated_step(self, row: Row, counted: int) -> int:
        """The step stated by the row; TRL's PPO counts episodes and prints a row for each update."""
        if row.step is not None:
            return row.step
        if _SUMMARY in row.values and self._stated:
            return self._stated[-1]
        return counted if _EPISODES in row.values else _UNKNOWN

    def add_position(self, item: Bar | Panel) -> None:
        """Record the position of a bar or the heading of a table of completions."""
        if isinstance(item, Panel):
            if self._stated and self._stated[-1] == _UNKNOWN:
                self._stated[-1] = item.step
        elif self._total == item.total or (self._total is None and item.step < item.total):
            self._bar = item
            if self._awaits_bar:
                self._shown[-1], self._awaits_bar = item.step, False
        elif self._has_ended:
            self._next_bar = item if item.step < item.total else None

    @property
    def total(self) -> int | None:
        """The planned steps; unknown if rows of several trainings are numbered consecutively."""
        are_counted = self._episodes > 0 or self._inferred_steps()[1] == COUNTED
        return None if are_counted and len(self._firsts) > 1 else self._total

    def steps(self) -> Steps:
        """(R,) The step of each row so far."""
        return self._inferred_steps()[0]

    def notes(self) -> tuple[str, ...]:
        """How the steps were inferred, unless the rows state them; and whether there are several trainings."""
        note, (_, *later) = self._inferred_steps()[1], self._firsts
        rows = ", ".join(str(first + 1) for first in later)
        several = SEVERAL.format(count=len(self._firsts), rows=rows)
        return (*((note,) if note else ()), *((several,) if later else ()))

    def _inferred_steps(self) -> tuple[Steps, str]:
        """The rows' steps, and what has to be noted about them."""
        stated = np.array(self._stated, dtype=np.int64)
        if (stated != _UNKNOWN).all():
            return stated, ""
        shown = np.where(stated == _UNKNOWN, np.array(self._shown, dtype=np.int64), stated)
        return (shown, BY_BAR) if self._bar_advances(shown) else (np.array(self._counted, dtype=np.int64), COUNTED)

    def _bar_advances(self, shown: Steps) -> bool:
        """Whether the bar advances with the rows; it does not if one of the two streams is buffered."""
        of_training = shown[np.array(self._trains, dtype=np.bool_)]
        if (shown == _UNKNOWN).any() or not len(of_training):
            return False
        return len(of_training) < 2 or bool(np.mean(np.diff(of_training) != 0) >= _MOVING)
