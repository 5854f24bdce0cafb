"""The series of a run in their order: the crucial ones of its algorithm, and all others."""

from diagnostics.model.algorithms import CRUCIAL, MAIN_REWARD
from diagnostics.model.run import Run
from diagnostics.model.series import NO_STEPS, NO_VALUES, Series
from diagnostics.model.vocabulary import METRICS

_ORDER = {metric.name: index for index, metric in enumerate(METRICS)}


def crucial_series(run: Run) -> list[Series]:
    """The crucial values of the run's algorithm; a base name selects the series of all its reward functions.

    A value that the run has not logged yet is a series without points, so that a page can reserve its place.
    """
    return [series for base in CRUCIAL.get(run.algorithm, ()) for series in _matching_series(run, base)]


def other_series(run: Run) -> list[Series]:
    """Every other series with a point, known metrics in the vocabulary's order, unmapped names after them."""
    shown = {series.name for series in crucial_series(run)}
    rest = [series for name, series in run.series.items() if name not in shown and len(series)]
    return sorted(rest, key=_rank)


def main_reward(run: Run) -> Series | None:
    """The series that should keep going up."""
    return run.get(*MAIN_REWARD.get(run.algorithm, ("reward", "score")))


def _matching_series(run: Run, base: str) -> list[Series]:
    nothing = Series(base, tag="", steps=NO_STEPS, values=NO_VALUES)
    return [run.series.get(base, nothing), *run.by_reward_function(base).values()]


def _rank(series: Series) -> tuple[int, str]:
    index = _ORDER.get(series.metric.name, len(_ORDER)) if series.metric else len(_ORDER) + 1
    return index, series.name
