"""What a chart's horizontal axis counts: steps, tokens, episodes, or time."""

from typing import Literal, get_args

import numpy as np

from diagnostics.model.run import Run
from diagnostics.model.series import Series, Steps, Values

Axis = Literal["step", "tokens", "episodes", "wall", "relative"]
AXES: tuple[Axis, ...] = get_args(Axis)

_COUNTERS = ("tokens", "episodes")  # metrics by the same name


def axes_of(run: Run) -> tuple[Axis, ...]:
    """The axes for which the run has logged what they count; steps always."""
    has_times = any(len(series.times) for series in run.series.values())
    return tuple(axis for axis in AXES if axis == "step" or (_counts(run, axis) if axis in _COUNTERS else has_times))


def places_on(axis: Axis, series: Series, run: Run) -> Values:
    """Where the points of a series lie on an axis: (N,), never decreasing.

    A point whose step has no reading of the counter or the clock lies between its neighbours, and what goes back, as a
    clock does between two attempts of a training, is held. Steps, where the run has not logged what the axis counts.
    Relative time begins with the run's first point.
    """
    if axis in _COUNTERS and _counts(run, axis):
        counter = run.series[axis]
        return _never_back(_between(series.steps, counter.steps, counter.values))
    timed = [item for item in (series, *run.series.values()) if len(item.times)]
    if axis in ("wall", "relative") and timed:
        clock = series if len(series.times) else max(timed, key=len)
        start = min(float(item.times[0]) for item in timed) if axis == "relative" else 0.0
        return _never_back(_between(series.steps, clock.steps, clock.times) - start)
    return series.steps.astype(np.float64)


def _counts(run: Run, axis: str) -> bool:
    counter = run.series.get(axis)
    return counter is not None and bool(counter.finite.any())


def _between(steps: Steps, known: Steps, readings: Values) -> Values:
    finite = np.isfinite(readings)
    return np.interp(steps, known[finite], readings[finite]) if finite.any() else steps.astype(np.float64)


def _never_back(places: Values) -> Values:
    return np.maximum.accumulate(places) if len(places) else places
