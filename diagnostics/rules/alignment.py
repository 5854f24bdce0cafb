"""Several series side by side: at the steps that they share, or as each was last known."""

import dataclasses
from functools import reduce

import numpy as np
import numpy.typing as npt

from diagnostics.run import NO_VALUES, Series, Steps, Values


def at_common_steps(*series: Series) -> tuple[Series, ...]:
    """The series, each with only the steps at which all of them were logged; without times."""
    if all(np.array_equal(item.steps, series[0].steps) for item in series):
        return series
    steps = reduce(lambda left, right: np.intersect1d(left, right, assume_unique=True), (s.steps for s in series))
    return tuple(_at(item, np.isin(item.steps, steps)) for item in series)


def finite_only(series: Series) -> Series:
    """The series with ±Inf as NaN, for rules that add or divide series."""
    finite = series.finite
    return series if finite.all() else dataclasses.replace(series, values=np.where(finite, series.values, np.nan))


def last_known(series: Series, steps: Steps) -> Values:
    """(N,) What the series said last at or before each of these N steps; NaN before its first point.

    For metrics that are logged once per generation beside those that are logged once per update.
    """
    if np.array_equal(series.steps, steps):
        return series.values
    where = np.searchsorted(series.steps, steps, side="right") - 1
    return np.where(where >= 0, series.values[np.maximum(where, 0)], np.nan)


def _at(series: Series, keep: npt.NDArray[np.bool_]) -> Series:
    return dataclasses.replace(series, steps=series.steps[keep], values=series.values[keep], times=NO_VALUES)
