"""The trainings that a notebook shows: one for each table of steps, else those in the rows that a cell printed."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from diagnostics.language import N_
from diagnostics.model.series import RawSeries
from diagnostics.readers.console.own_rows import OwnTraining
from diagnostics.readers.console.trainings import Training as ConsoleTraining
from diagnostics.readers.console.trainings import Trainings
from diagnostics.readers.notebooks.outputs import Cell
from diagnostics.readers.notebooks.table_points import points_of
from diagnostics.readers.notebooks.tables import NotebookTables
from diagnostics.readers.progress.pattern import Progress
from diagnostics.told import told

_BY_HAND = "KeyboardInterrupt"
_REWARD = "reward"
BY_CODE = N_("The settings are those that the notebook's code gives to its trainer")
AGAIN = N_("Numbers of this training are shown again in cell {cells}")


@dataclass(frozen=True, slots=True)
class Training:
    """One training, as the outputs of a cell show it; `again_in` are further cells that show its numbers."""

    cell: int
    tags: Mapping[str, RawSeries]
    total: int | None = None
    state: str = "unknown"
    error: str | None = None
    config: Mapping[str, Any] = field(default_factory=dict)
    malformed: int = 0
    rounded_to: float = 0.0
    notes: tuple[str, ...] = ()
    again_in: tuple[int, ...] = ()

    @property
    def step(self) -> int | None:
        """The furthest step that is shown."""
        return max((int(series.steps.max()) for series in self.tags.values()), default=None)

    @property
    def remarks(self) -> tuple[str, ...]:
        """What has to be noted about it."""
        cells = ", ".join(map(str, self.again_in))
        return (*self.notes, *((told(AGAIN, cells=cells),) if cells else ()))

    @property
    def points(self) -> int:
        """How many numbers are shown."""
        return sum(len(series.steps) for series in self.tags.values())


def trainings_of(cells: Iterable[Cell]) -> list[Training]:
    """The trainings in order. A table that shows numbers of another one again, as a frame of it does, is not one."""
    found, tables = list[Training](), NotebookTables()
    for training in (training for cell in cells for training in _in_cell(cell, tables)):
        same = next((place for place, other in enumerate(found) if _is_same(other, training)), None)
        if same is None:
            found.append(training)
        else:
            found[same] = _joined(found[same], training)
    return found


def _joined(one: Training, other: Training) -> Training:
    """The one that shows more of the same training."""
    more, less = (one, other) if one.points >= other.points else (other, one)
    return replace(more, again_in=tuple(sorted({*one.again_in, *other.again_in, less.cell} - {more.cell})))


def _in_cell(cell: Cell, tables: NotebookTables) -> Iterator[Training]:
    """The tables of a cell; what it printed counts where none of them holds a reward. An error ended the last one."""
    drawn = [*_drawn(cell, tables)]
    found = drawn if any(map(_has_reward, drawn)) else [*_printed(cell)] or [*_of_own_progress(cell)]
    found = found if any(map(_has_reward, found)) else drawn or found
    error = next((output.error for output in cell.outputs if output.error), None)
    if found and error:
        found[-1] = _ended_by(found[-1], error)
    yield from (training if training.config else _with_settings(training, cell.settings) for training in found)


def _with_settings(training: Training, settings: Mapping[str, Any]) -> Training:
    """A training whose output states no settings, with those in the notebook's code."""
    return replace(training, config=settings, notes=(*training.notes, told(BY_CODE))) if settings else training


def _has_reward(training: Training) -> bool:
    return any(_REWARD in tag.lower() for tag in training.tags)


def _ended_by(training: Training, error: str) -> Training:
    by_hand = error.startswith(_BY_HAND)
    return replace(training, state="stopped" if by_hand else "failed", error=None if by_hand else error)


def _drawn(cell: Cell, tables: NotebookTables) -> Iterator[Training]:
    for output in cell.outputs:
        for table in tables.of(output.html, output.text):
            points = points_of(table)
            if points.tags:
                yield Training(
                    cell.number,
                    points.tags,
                    total=table.progress[1] if table.progress else None,
                    state=_state_at(*table.progress) if table.progress else "unknown",
                    malformed=points.misfits,
                    rounded_to=points.rounded_to,
                    notes=(table.cut,) if table.cut else (),
                )


def _state_at(step: int | None, total: int | None) -> str:
    return "finished" if step is not None and total is not None and step >= total else "unknown"


def _printed(cell: Cell) -> Iterator[Training]:
    """The trainings in the text of a cell, by the rules of the console."""
    trainings = Trainings()
    for output in cell.outputs:
        for line in output.text.split("\n"):
            trainings.feed(line)
    yield from (_of_console(cell, printed) for printed in trainings.found if printed.series())


def _of_console(cell: Cell, printed: ConsoleTraining | OwnTraining) -> Training:
    state = _state_at(printed.last_step, printed.total)
    training = Training(
        cell.number,
        printed.series(),
        total=printed.total,
        state="finished" if printed.has_ended else state,
        config=printed.settings.found,
        malformed=printed.misfits,
        rounded_to=printed.rounded_to,
        notes=printed.notes(),
    )
    return _ended_by(training, printed.ending.error) if printed.ending.error else training


def _of_own_progress(cell: Cell) -> Iterator[Training]:
    """What a trainer of one's own printed."""
    progress = Progress()
    for output in cell.outputs:
        for line in output.text.split("\n"):
            progress.feed(line)
    rows = progress.rows
    if progress.is_training:
        yield Training(
            cell.number,
            rows.series(),
            total=rows.total,
            state=_state_at(rows.step, rows.total),
            malformed=rows.misfits,
            rounded_to=rows.rounded_to,
            notes=progress.notes(),
        )


def _is_same(one: Training, other: Training) -> bool:
    """Whether all numbers that both show agree, and there are enough of them that this is no coincidence."""
    differs = False
    for name in one.tags.keys() & other.tags.keys():
        steps, here, there = np.intersect1d(one.tags[name].steps, other.tags[name].steps, return_indices=True)
        values = one.tags[name].values[here], other.tags[name].values[there]
        if len(steps) < min(len(one.tags[name].steps), len(other.tags[name].steps)):
            return False
        if not np.allclose(*values, rtol=1e-4, atol=1e-6, equal_nan=True):
            return False
        differs = differs or len(np.unique(values[0])) > 1
    return differs
