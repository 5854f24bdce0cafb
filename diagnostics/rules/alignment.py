"""Several series side by side: at the steps that they share, or as each was last known."""

import dataclasses
from functools import reduce

import numpy as np

from diagnostics.detectors.growing import Inputs, carried, pointwise
from diagnostics.model.growing_array import Growing
from diagnostics.model.series import NO_STEPS, NO_VALUES, Series, Steps, Values


def at_common_steps(*series: Series) -> tuple[Series, ...]:
    """The series, each with only the steps at which all of them were logged; without times."""
    steps, values = tuple(item.steps for item in series), tuple(item.values for item in series)
    if _are_the_same(*steps):
        return series
    common = carried(("common steps", len(series)), (*steps, *values), _more_in_common)
    return tuple(
        dataclasses.replace(item, steps=common.steps.view(), values=kept.view(), times=NO_VALUES)
        for item, kept in zip(series, common.values, strict=True)
    )


def _are_the_same(*steps: Steps) -> bool:
    return carried(("same steps", len(steps)), steps, _more_of_the_same)


def _more_of_the_same(inputs: Inputs, known: tuple[int, ...], are_the_same: bool | None) -> bool:
    if are_the_same is False:
        return False
    first = inputs[0][known[0] :]
    return all(np.array_equal(item[start:], first) for item, start in zip(inputs, known, strict=True))


class _Common:
    """The steps that several series share, up to the last one that all have reached, and the values of each there."""

    __slots__ = ("starts", "steps", "values")

    def __init__(self, count: int) -> None:
        self.starts = [0] * count  # the first point of each that was not looked at yet
        self.steps = Growing(NO_STEPS)
        self.values = [Growing(NO_VALUES) for _ in range(count)]


def _more_in_common(inputs: Inputs, known: tuple[int, ...], common: _Common | None) -> _Common:
    count = len(inputs) // 2
    steps, values = inputs[:count], inputs[count:]
    common = common or _Common(count)
    if not all(map(len, steps)):
        return common
    last = min(int(item[-1]) for item in steps)
    spans = [
        slice(start, int(np.searchsorted(item, last, side="right")))
        for start, item in zip(common.starts, steps, strict=True)
    ]
    fresh = [item[span] for item, span in zip(steps, spans, strict=True)]
    shared = fresh[0]
    if not all(np.array_equal(item, shared) for item in fresh):
        shared = reduce(lambda left, right: np.intersect1d(left, right, assume_unique=True), fresh)
    for kept, found, span, at in zip(common.values, values, spans, fresh, strict=True):
        kept.append(found[span] if len(at) == len(shared) else found[span][np.isin(at, shared, assume_unique=True)])
    common.steps.append(shared)
    common.starts = [span.stop for span in spans]
    return common


def finite_only(series: Series) -> Series:
    """The series with ±Inf as NaN, for rules that add or divide series."""
    return dataclasses.replace(series, values=pointwise(finite_or_nan, series.values))


def finite_or_nan(values: Values) -> Values:
    """(N,) The values with ±Inf as NaN."""
    return np.where(np.isfinite(values), values, np.nan)


def within(series: Series, first: int, last: int) -> Values:
    """The values at these steps and between them."""
    start, stop = np.searchsorted(series.steps, (first, last + 1))
    return series.values[start:stop]


def last_known(series: Series, steps: Steps) -> Values:
    """(N,) What the series said last at or before each of these N steps; NaN before its first point.

    For metrics that are logged once per generation beside those that are logged once per update.
    """
    if _are_the_same(series.steps, steps):
        return series.values
    return carried("last known", (series.steps, series.values, steps), _more_last_known).view()


def _more_last_known(inputs: Inputs, known: tuple[int, ...], said: Growing[np.float64] | None) -> Growing[np.float64]:
    at, values, steps = inputs
    if said is None or _came_late(at[known[0] :], steps[: len(said)]):
        said = Growing(NO_VALUES)
    where = np.searchsorted(at, steps[len(said) :], side="right") - 1
    said.append(np.where(where >= 0, values[np.maximum(where, 0)], np.nan) if len(at) else np.full(len(where), np.nan))
    return said


def _came_late(new: Steps, answered: Steps) -> bool:
    """Whether a point is new at a step, or before one, for which an answer was given already."""
    return len(new) > 0 and len(answered) > 0 and bool(new[0] <= answered[-1])
