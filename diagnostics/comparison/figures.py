"""Figures: the crucial metrics of several runs at one step, and how far each is from the baseline's."""

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from diagnostics.model.algorithms import CRUCIAL
from diagnostics.model.run import Run
from diagnostics.model.series import Series
from diagnostics.model.vocabulary import metric

NEAR_ZERO = 0.01
"""Of the largest size that the baseline's metric had: below it a change is given in the metric's unit alone."""
_REWARD_SECTION = "reward"


@dataclass(frozen=True, slots=True)
class Reading:
    """What a run last logged of a metric up to a step."""

    step: int
    value: float


@dataclass(frozen=True, slots=True)
class Change:
    """From the baseline's value; `relative` is a share of its size, None where that is nearly 0 or the sign changed."""

    absolute: float
    relative: float | None


@dataclass(frozen=True, slots=True)
class Figure:
    """One metric of all runs, in their order.

    A reading is None where the run does not log the metric, had not begun, or had ended by then. A change is None for
    the baseline, where a reading is missing or no number, and where the metric means something else in the two runs.
    """

    metric: str
    readings: tuple[Reading | None, ...]
    changes: tuple[Change | None, ...]


def last_common_step(runs: Iterable[Run]) -> int | None:
    """The last step that every run reached; None where one had ended before another began."""
    reached = [run.steps for run in runs if len(run.steps)]
    if not reached:
        return None
    last = min(int(steps[-1]) for steps in reached)
    return last if all(steps[0] <= last for steps in reached) else None


def crucial_metrics(runs: Sequence[Run]) -> tuple[str, ...]:
    """The crucial metrics of the runs' algorithms, the baseline's first, that two of them log or can derive."""
    bases = dict.fromkeys(base for run in runs for base in CRUCIAL.get(run.algorithm, ()))
    return tuple(base for base in bases if sum(run.get(base) is not None for run in runs) > 1)


def figures(runs: Sequence[Run], step: int, other_scores: Collection[int] = ()) -> tuple[Figure, ...]:
    """The crucial metrics at a step. Of the runs at the places `other_scores`, rewards and scores have no change."""
    return tuple(
        _figure(name, runs, step, other_scores if _is_of_reward(name) else ()) for name in crucial_metrics(runs)
    )


def _figure(name: str, runs: Sequence[Run], step: int, incomparable: Collection[int]) -> Figure:
    found = [run.get(name) for run in runs]
    readings = tuple(_reading(series, run, step) for series, run in zip(found, runs, strict=True))
    size = _size(found[0], step) if found[0] is not None else 0.0
    changes = tuple(
        None if place == 0 or place in incomparable else _change(readings[0], reading, size)
        for place, reading in enumerate(readings)
    )
    return Figure(name, readings, changes)


def _reading(series: Series | None, run: Run, step: int) -> Reading | None:
    if series is None or step > (run.last_step or 0):
        return None
    index = int(np.searchsorted(series.steps, step, side="right")) - 1
    return None if index < 0 else Reading(int(series.steps[index]), float(series.values[index]))


def _size(series: Series, step: int) -> float:
    """The largest size that a metric had up to a step."""
    values = series.values[series.finite & (series.steps <= step)]
    return float(np.abs(values).max()) if len(values) else 0.0


def _change(base: Reading | None, here: Reading | None, size: float) -> Change | None:
    if base is None or here is None or not math.isfinite(base.value) or not math.isfinite(here.value):
        return None
    absolute = here.value - base.value
    has_ratio = abs(base.value) > NEAR_ZERO * size and base.value * here.value >= 0
    return Change(absolute, absolute / abs(base.value) if has_ratio else None)


def _is_of_reward(name: str) -> bool:
    found = metric(name)
    return found is not None and found.section == _REWARD_SECTION
