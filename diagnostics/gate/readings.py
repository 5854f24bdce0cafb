"""Readings: what one run measured over the gate's window, with the noise within the run; or why it measured nothing."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from diagnostics.cost.training_time import time_of_steps
from diagnostics.detectors.noise import estimate_noise
from diagnostics.language import _
from diagnostics.model.run import Run

_LEAST_POINTS = 2  # in the window: a single step is no mean
_LIKELY = 0.0  # standard errors: the likely autocorrelation, not an upper bound of it
MEMORY = ("gpu_memory_reserved", "gpu_memory_allocated", "process_memory", "host_memory_used")
"""The first of these that a run logs is its memory."""

Window = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Reading:
    """A windowed value and its standard error within the run; `problem` says why there is none."""

    value: float = math.nan
    error: float = 0.0
    problem: str = ""


def mean_of(run: Run, metric: str, window: Window) -> Reading:
    """The mean of a metric over the window. A NaN in it is a problem, never left out.

    Its standard error follows from the scatter and the autocorrelation of the run's own points.
    """
    series = run.get(metric)
    if series is None:
        return Reading(problem=_("{metric} is not logged").format(metric=metric))
    if problem := unreached(run, window):
        return Reading(problem=problem)
    inside = (series.steps >= window[0]) & (series.steps <= window[1])
    values = series.values[inside]
    if len(values) < _LEAST_POINTS:
        sentence = _("{metric} has {points} points in steps {first} to {last}, too few to judge")
        return Reading(problem=sentence.format(metric=metric, points=len(values), first=window[0], last=window[1]))
    if bad := int(np.count_nonzero(~np.isfinite(values))):
        sentence = _("{metric} is NaN or infinite at {bad} of {points} points")
        return Reading(problem=sentence.format(metric=metric, bad=bad, points=len(values)))
    noise = estimate_noise(series.values[series.steps <= window[1]], _LIKELY)
    return Reading(float(values.mean()), noise.error_of_mean(len(values)))


def unreached(run: Run, window: Window) -> str:
    """Why the window cannot be judged for a run that did not get to its end; empty where it did."""
    last = run.last_step
    if last is None:
        return _("nothing is logged")
    if last >= window[1]:
        return ""
    sentence = _("it got to step {step}, and the window is steps {first} to {last}")
    return sentence.format(step=last, first=window[0], last=window[1])


def _step_time(run: Run, window: Window) -> Reading:
    """The logged time of a step, else the time between the rows, per step."""
    if run.get("step_time") is not None:
        return mean_of(run, "step_time", window)
    found = time_of_steps(run, *window)
    if found is None:
        return Reading(problem=_("the log tells no time of a step"))
    return Reading(found.seconds / max(window[1] - window[0], 1))


def _wall_time(run: Run, window: Window) -> Reading:
    """From the first logged step to the window's end."""
    steps = run.steps
    found = time_of_steps(run, int(steps[0]), window[1]) if len(steps) else None
    return Reading(problem=_("the log tells no time")) if found is None else Reading(found.seconds)


def _memory(run: Run, window: Window) -> Reading:
    """The most memory up to the window's end."""
    series = run.get(*MEMORY)
    if series is None:
        return Reading(problem=_("no memory is logged"))
    values = series.values[(series.steps <= window[1]) & series.finite]
    return Reading(float(values.max())) if len(values) else Reading(problem=_("no memory is logged"))


_RATIOS: Mapping[str, Callable[[Run, Window], Reading]] = {
    "step_time": _step_time,
    "wall_time": _wall_time,
    "memory": _memory,
}


def logarithm_of(run: Run, ratio: str, window: Window) -> Reading:
    """The logarithm of a time or of memory: differences of logarithms are ratios."""
    found = _RATIOS[ratio](run, window)
    if found.problem:
        return found
    if found.value <= 0:
        return Reading(problem=_("{ratio} is 0").format(ratio=ratio))
    return Reading(math.log(found.value), found.error / found.value)
