"""Runs side by side: what differs in their settings, their verdicts, their figures at one step, and who is whose."""

import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from diagnostics.comparison.figures import Figure, figures, last_common_step
from diagnostics.comparison.seeds import seed_groups
from diagnostics.comparison.settings import SettingsTable, settings_table
from diagnostics.comparison.since_parent import SCORE_SETTINGS, Comparison, compare
from diagnostics.model.diagnosis import Diagnosis
from diagnostics.model.run import Run

MOST_RUNS = 20
LETTERS = string.ascii_uppercase[:MOST_RUNS]


@dataclass(frozen=True, slots=True)
class Relaunch:
    """Two of the runs of which one was relaunched from the other, by their places, and what became of its findings."""

    child: int
    parent: int
    comparison: Comparison


@dataclass(frozen=True, slots=True)
class SideBySide:
    """Several runs compared, the baseline first; places and tuples follow that order.

    `step` is that of the figures; None where no step was reached by all. `seed_groups` are the places of runs that
    differ in the seed alone. `score_changes` has the settings because of which a run's rewards mean something else than
    the baseline's, by its place.
    """

    diagnoses: tuple[Diagnosis, ...]
    settings: SettingsTable
    step: int | None
    figures: tuple[Figure, ...]
    seed_groups: tuple[tuple[int, ...], ...]
    relaunches: tuple[Relaunch, ...]
    score_changes: Mapping[int, tuple[str, ...]]

    @property
    def runs(self) -> tuple[Run, ...]:
        """The runs."""
        return tuple(diagnosis.run for diagnosis in self.diagnoses)

    @property
    def algorithms(self) -> tuple[str, ...]:
        """Each algorithm once."""
        return tuple(dict.fromkeys(run.algorithm for run in self.runs))

    def parent_of(self, place: int) -> int | None:
        """The place of the run that this one was relaunched from, where it is among them."""
        return next((item.parent for item in self.relaunches if item.child == place), None)


def side_by_side(diagnoses: Sequence[Diagnosis], step: int | None = None) -> SideBySide:
    """Compare runs, the first of which is the baseline, at a step, else at the last one that all reached."""
    runs = [diagnosis.run for diagnosis in diagnoses]
    table = settings_table(runs)
    at = last_common_step(runs) if step is None else step
    score_changes = _score_changes(table, len(runs))
    return SideBySide(
        diagnoses=tuple(diagnoses),
        settings=table,
        step=at,
        figures=() if at is None else figures(runs, at, score_changes),
        seed_groups=seed_groups(runs, table),
        relaunches=_relaunches(diagnoses),
        score_changes=score_changes,
    )


def _score_changes(table: SettingsTable, runs: int) -> dict[int, tuple[str, ...]]:
    """The settings of the score in which a run differs from the baseline, by the places of those that do."""
    rows = [row for row in table.differing if SCORE_SETTINGS & {row.argument, row.setting}]
    changes = {place: tuple(row.argument for row in rows if row.differs_at(place)) for place in range(1, runs)}
    return {place: names for place, names in changes.items() if names}


def _relaunches(diagnoses: Sequence[Diagnosis]) -> tuple[Relaunch, ...]:
    places = {diagnosis.run.run_id: place for place, diagnosis in enumerate(diagnoses)}
    return tuple(
        Relaunch(child, parent, compare(diagnosis, diagnoses[parent]))
        for child, diagnosis in enumerate(diagnoses)
        if (parent := places.get(diagnosis.run.parent or "")) is not None and parent != child
    )
