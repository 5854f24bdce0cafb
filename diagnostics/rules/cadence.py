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
    """The steps that a logged point stands for; 1 where the log does not say that it is more than a look at one.

    It is the mean of the steps of a row, or what was said of a batch that is used for several.
    """
    stated = run.settings.value("logging_steps")
    is_stated = isinstance(stated, int) and stated > 0
    if not is_stated and not (Quirk.AVERAGES_LOGGED_STEPS in run.quirks and run.algorithm in GROUP_FAMILY):
        return 1
    apart, row = steps_between(series.steps), steps_between(run.steps)
    each = min(apart, row, int(stated)) if is_stated else min(apart, row)
    return each * max(1, apart // row)


def steps_between(steps: Steps) -> int:
    """The steps from one point to the next, as they mostly are; 1 on another axis."""
    apart = round(median(np.diff(steps))) if len(steps) > 1 else 1
    return apart if 1 <= apart <= MOST_STEPS else 1


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
