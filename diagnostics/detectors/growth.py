"""Growth: whether a series rises steadily and does not come back, how fast, and when it will reach a limit.

The slope is Theil and Sen's, its interval that of Sen (1968, JASA 63), widened for autocorrelated noise as in `trend`.
"""

import math
from dataclasses import dataclass

import numpy as np

from diagnostics.detectors.arrays import Steps, Values
from diagnostics.detectors.trend import (
    TREND_PHI,
    TREND_POINTS,
    kendall_variance,
    means_of_neighbours,
    pairs,
    variance_inflation,
)

NORMAL_95 = 1.96  # standard errors on either side of which a normal estimate lies in 95 % of cases
PARTS = 6  # of a series, whose lowest values are compared
LARGEST_SHARE = 0.5  # of a whole rise, that one part may add to the one before


@dataclass(frozen=True, slots=True)
class Line:
    """A line through the last point: its `slope` per step, and its `level` at the last `step`."""

    slope: float
    level: float
    step: float

    def reaches(self, limit: float) -> float:
        """The step at which the line reaches a limit above it; infinite where it does not rise."""
        if limit <= self.level:
            return self.step
        return self.step + (limit - self.level) / self.slope if self.slope > 0 else math.inf


@dataclass(frozen=True, slots=True)
class Growth:
    """The likely line of a series and the ends of its 95 % interval."""

    likely: Line
    slowest: Line
    fastest: Line


def growth(steps: Steps, values: Values) -> Growth | None:
    """The lines through the finite points, of which all pairs of at most 500 means are compared; None below 10."""
    finite = np.isfinite(values)
    x, y = means_of_neighbours(steps[finite].astype(np.float64)), means_of_neighbours(values[finite])
    if len(y) < TREND_POINTS:
        return None
    earlier, later = pairs(len(y))
    slopes = np.sort((y[later] - y[earlier]) / (x[later] - x[earlier]))
    slope = float(np.median(slopes))
    residuals = y - slope * x
    variance = kendall_variance(y) * variance_inflation(residuals - residuals.mean(), TREND_PHI)
    half = NORMAL_95 * math.sqrt(max(variance, 0.0)) / 2
    middle, most = (len(slopes) - 1) / 2, len(slopes) - 1
    low, high = slopes[max(0, math.floor(middle - half))], slopes[min(most, math.ceil(middle + half))]
    return Growth(*(_line(x, y, float(one)) for one in (slope, low, high)))


def is_steady(values: Values) -> bool:
    """Whether the lowest value of each sixth of the finite points lies above that of the sixth before, step by step.

    No one rise may be more than half of all. So a sawtooth, single spikes, one jump between two levels, a cache that
    fills up and a maximum so far, which rises ever more slowly, do not count. Of independent points without a trend one
    series in 720 has such an order.
    """
    finite = values[np.isfinite(values)]
    if len(finite) < PARTS:
        return False
    rises = np.diff([part.min() for part in np.array_split(finite, PARTS)])
    return bool(np.all(rises > 0) and rises.max() <= LARGEST_SHARE * rises.sum())


def _line(x: Values, y: Values, slope: float) -> Line:
    return Line(slope, float(np.median(y - slope * (x - x[-1]))), float(x[-1]))
