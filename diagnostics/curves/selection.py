"""The series of a run in their order: the crucial ones of its algorithm, and all others."""

from collections.abc import Sequence

from diagnostics.model.algorithms import CRUCIAL, CRUCIAL_ANYWHERE, MAIN_REWARD, STANDS_FOR, TELLING
from diagnostics.model.outcome import Outcome
from diagnostics.model.run import Run
from diagnostics.model.series import NO_STEPS, NO_VALUES, Series
from diagnostics.model.vocabulary import METRICS, is_of_part

_ORDER = {metric.name: index for index, metric in enumerate(METRICS)}


def crucial_series(run: Run) -> list[Series]:
    """The crucial values of the run's algorithm; a base name selects the series of all its reward functions.

    A value that the run has not logged yet is a series without points, so that a page can reserve its place. Behind
    them stands what tells most beside them, as far as it is logged. Of an algorithm without such lists there are those
    that it logged.
    """
    bases = CRUCIAL.get(run.algorithm)
    if bases is None:
        return [series for name in CRUCIAL_ANYWHERE if (series := run.get(name)) is not None and len(series)]
    crucial = [series for base in bases for series in _matching_series(run, _logged_for(run, base))]
    telling = (run.series.get(name) for name in TELLING[run.algorithm])
    return [*crucial, *(series for series in telling if series is not None and len(series))]


def other_series(run: Run, outcomes: Sequence[Outcome] = ()) -> list[Series]:
    """Every other series with a point: known metrics in the vocabulary's order, parts of the data, unmapped names.

    Of the derived ones, those by which a rule came to one of these outcomes.
    """
    shown = {series.name for series in crucial_series(run)}
    judged = dict.fromkeys(name for outcome in outcomes for name in outcome.derived)
    rest = {**run.series, **{name: series for name in judged if (series := run.get(name)) is not None}}
    return sorted((series for name, series in rest.items() if name not in shown and len(series)), key=_rank)


def logged_series(run: Run, outcomes: Sequence[Outcome] = ()) -> list[Series]:
    """Every series with a point, the crucial ones first."""
    return [*(series for series in crucial_series(run) if len(series)), *other_series(run, outcomes)]


def main_reward(run: Run) -> Series | None:
    """The series that should keep going up."""
    return run.get(*MAIN_REWARD.get(run.algorithm, ()), "reward", "score")


def _logged_for(run: Run, base: str) -> str:
    """A crucial metric, or the one that the run logged in its place."""
    other = STANDS_FOR.get(base)
    return other if other and run.get(base) is None and run.get(other) is not None else base


def _matching_series(run: Run, base: str) -> list[Series]:
    nothing = Series(base, tag="", steps=NO_STEPS, values=NO_VALUES)
    return [run.get(base) or run.series.get(base, nothing), *run.by_reward_function(base).values()]


def _rank(series: Series) -> tuple[bool, bool, int, str]:
    index = _ORDER[series.metric.name] if series.metric else 0
    return series.metric is None, is_of_part(series.name), index, series.name
