"""Rows in a form of somebody's own behind a training that ended: another one, where they tell of rewards and updates.

A script that trains a model, then a reward model, each with a Trainer, often ends with a loop of its own. What it
prints of an evaluation tells of rewards alone.
"""

import re
from dataclasses import dataclass, field

from diagnostics.model.series import RawSeries
from diagnostics.readers.console.failure import Ending
from diagnostics.readers.console.printed_settings import PrintedSettings
from diagnostics.readers.progress.pattern import Progress

_OF_UPDATES = re.compile(r"(?i)loss|(?<![a-z])(?:kl|lr)(?![a-z])|learning.rate|grad|entropy|clip|advantage")
"""What a number is called that an evaluation does not have."""


@dataclass(slots=True)
class OwnTraining:
    """What was printed of one training in a form of its own."""

    settings: PrintedSettings = field(default_factory=PrintedSettings)
    progress: Progress = field(default_factory=Progress)
    ending: Ending = field(default_factory=Ending)

    def feed(self, line: str) -> bool:
        """Process the next line; whether it is a row."""
        self.ending.feed(line)
        is_row = self.progress.feed(line)
        if is_row:
            self.ending.clear()
        return is_row

    @property
    def is_known(self) -> bool:
        """Whether the rows so far are those of a training by rewards."""
        rows = self.progress.rows
        return rows.is_of_rl and any(map(_OF_UPDATES.search, rows.series()))

    @property
    def has_ended(self) -> bool:
        """Whether the training said that it ended: none does in a way that is known."""
        return False

    @property
    def last_step(self) -> int | None:
        """The step of the last row."""
        return self.progress.rows.step

    @property
    def total(self) -> int | None:
        """The planned steps, where they are printed."""
        return self.progress.rows.total

    @property
    def misfits(self) -> int:
        """Rows without any number that was to be there."""
        return self.progress.rows.misfits

    @property
    def rounded_to(self) -> float:
        """As in `DataHealth`."""
        return self.progress.rows.rounded_to

    def series(self) -> dict[str, RawSeries]:
        """All points so far."""
        return self.progress.rows.series()

    def notes(self) -> tuple[str, ...]:
        """How the rows were understood."""
        return self.progress.notes()


class OwnRows:
    """Finds such trainings among the lines behind one that ended."""

    def __init__(self) -> None:
        self._training = OwnTraining()
        self._has_lines = False
        self.is_known = False

    def feed(self, line: str) -> OwnTraining | None:
        """Process the next line that is no row of a known form; the training that is known by it."""
        self._has_lines = True
        is_row = self._training.feed(line)
        if self.is_known or not is_row or not self._training.is_known:
            return None
        self.is_known = True
        return self._training

    def end(self) -> None:
        """Forget the lines so far: a row of a known form follows."""
        if self._has_lines:
            self._training, self._has_lines, self.is_known = OwnTraining(), False, False
