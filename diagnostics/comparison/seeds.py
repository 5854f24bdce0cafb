"""Seeds: runs whose settings differ in the seed alone, and the mean and range of what they logged."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from diagnostics.comparison.setting_groups import OF_PLACES, OF_THE_SEED
from diagnostics.comparison.settings import SettingsTable, SettingValue, comparable
from diagnostics.model.run import Run
from diagnostics.model.series import Series, Steps, Values

_LEAST_STEPS = 2  # that all members logged, before a mean over them is a curve


@dataclass(frozen=True, slots=True)
class Band:
    """The mean and the range of one metric over several runs, at the steps that all of them logged.

    steps (N,) int64 · mean, low, high (N,) float64; NaN at a step where one run's value is NaN or infinite.
    """

    steps: Steps
    mean: Values
    low: Values
    high: Values


def band(members: Sequence[Series]) -> Band | None:
    """The band of these series; None where they have hardly a step in common."""
    steps = reduce(np.intersect1d, (series.steps for series in members))
    if len(steps) < _LEAST_STEPS:
        return None
    values = np.stack([series.values[np.searchsorted(series.steps, steps)] for series in members])
    values = np.where(np.isfinite(values).all(axis=0), values, np.nan)
    return Band(steps, values.mean(axis=0), values.min(axis=0), values.max(axis=0))


def seed_groups(runs: Sequence[Run], table: SettingsTable) -> tuple[tuple[int, ...], ...]:
    """The places of runs of the same trainer and settings that have different seeds; each group has two or more.

    Where two of them have the same seed, one is a repetition of the other and stays by itself. A run that logs no
    settings belongs nowhere: nobody knows what it was set to.
    """
    groups: dict[object, dict[object, int]] = {}
    for index, run in enumerate(runs):
        if index not in table.silent:
            identity = (run.algorithm, run.producer, run.producer_version, run.task, _settings(index, table))
            groups.setdefault(identity, {}).setdefault(_seeds(index, table), index)
    return tuple(tuple(members.values()) for members in groups.values() if len(members) > 1)


def _settings(index: int, table: SettingsTable) -> tuple[object, ...]:
    rows = (*table.differing, *table.partial)
    return tuple(_state(row.values[index]) for row in rows if row.group not in (OF_THE_SEED, OF_PLACES))


def _seeds(index: int, table: SettingsTable) -> tuple[object, ...]:
    return tuple(_state(row.values[index]) for row in table.differing if row.group == OF_THE_SEED)


def _state(item: SettingValue | None) -> object:
    """A setting's value in a form that can be compared; that it is not stated is a state of its own."""
    return None if item is None else (comparable(item.value),)
