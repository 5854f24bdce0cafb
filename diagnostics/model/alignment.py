"""Several series side by side: at the steps that they share, or as each was last known."""

import dataclasses
from functools import reduce

import numpy as np

from diagnostics.model.series import NO_VALUES, Series, Steps, Values


def at_common_steps(*series: Series) -> tuple[Series, ...]:
    """The series, each with only the steps at which all of them were logged; without times."""
    first = series[0].steps
    if all(np.array_equal(item.steps, first) for item in series):
        return series
    shared = reduce(_intersection, (item.steps for item in series))
    return tuple(
        dataclasses.replace(
            item, steps=shared, values=item.values[np.isin(item.steps, shared, assume_unique=True)], times=NO_VALUES
        )
        for item in series
    )


def finite_only(series: Series) -> Series:
    """The series with ±Inf as NaN, for rules that add or divide series."""
    return dataclasses.replace(series, values=np.where(series.finite, series.values, np.nan))


def values_between(series: Series, first: int, last: int) -> Values:
    """The values from step `first` to step `last`, both included."""
    start, stop = np.searchsorted(series.steps, (first, last + 1))
    return series.values[start:stop]


def latest(series: Series, points: int) -> Series:
    """The series with at most so many of its last points; without times."""
    return dataclasses.replace(series, steps=series.steps[-points:], values=series.values[-points:], times=NO_VALUES)


def last_known(series: Series, steps: Steps) -> Values:
    """(N,) The latest value of the series at or before each of these N steps; NaN before its first point.

    For metrics that are logged once per generation beside those that are logged once per update.
    """
    if np.array_equal(series.steps, steps):
        return series.values
    if not len(series):
        return np.full(len(steps), np.nan)
    latest = np.searchsorted(series.steps, steps, side="right") - 1
    return np.where(latest >= 0, series.values[np.maximum(latest, 0)], np.nan)


def _intersection(left: Steps, right: Steps) -> Steps:
    return np.intersect1d(left, right, assume_unique=True)
