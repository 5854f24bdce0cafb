"""How many steps a logged point stands for, so that what is meant in steps is not counted in rows."""

import math
from typing import TypeVar

import numpy as np

from diagnostics.detectors.averages import median
from diagnostics.model.algorithms import GROUP_FAMILY
from diagnostics.model.quirks import Quirk
from diagnostics.model.run import Run
from diagnostics.model.series import Series, Steps
from diagnostics.rules.limits import RuleLimits

MOST_STEPS = 100  # more between two rows is another axis, such as tokens or episodes

LimitsT = TypeVar("LimitsT", bound=RuleLimits)


def steps_of_point(run: Run, series: Series) -> int:
    """The steps that a logged point is the mean of; 1 where the log does not say that it is a mean."""
    stated = run.settings.value("logging_steps")
    is_stated = isinstance(stated, int) and stated > 0
    if not is_stated and not (Quirk.AVERAGES_LOGGED_STEPS in run.quirks and run.algorithm in GROUP_FAMILY):
        return 1
    apart = _apart(series.steps)
    if apart <= MOST_STEPS:  # a batch that is used for two steps is logged at every second of them, and is no mean
        apart = min(apart, _apart(run.steps))
    steps = min(apart, int(stated)) if is_stated else apart
    return steps if 1 <= steps <= MOST_STEPS else 1


def _apart(steps: Steps) -> int:
    """The steps from one point to the next, as they mostly are."""
    return round(median(np.diff(steps))) if len(steps) > 1 else 1


def paced(limits: LimitsT, run: Run, series: Series, **least: int) -> LimitsT:
    """The limits with those named here, in logged points, as they are where a point is the mean of several steps.

    A limit is made for one step a point; the mean of ten tells what ten points tell. But at least so many are needed.
    """
    each = steps_of_point(run, series)
    if each == 1:
        return limits
    given = limits.values()
    return limits.replaced(
        **{name: min(given[name], max(few, math.ceil(given[name] / each))) for name, few in least.items()}
    )
