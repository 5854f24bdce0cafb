"""The noise of a series: how much its values scatter by themselves, and the standard errors that follow from it.

The noise is modelled as an AR(1) process, xₜ = φ xₜ₋₁ + εₜ: φ near 0 is the luck of each batch, φ near 1 a slow drift
that looks like a trend for a while. Second differences, xₜ₊ₖ − 2 xₜ + xₜ₋ₖ, remove the learning curve itself: those
of a line are 0, and those of a curve over many steps nearly so. For an AR(1) process their mean square is
2 σ² (1 − φᵏ)(3 − φᵏ). The ratio of the mean squares at lags 4 and 1 therefore gives φ: it is 1 for independent points
and 4 for a random walk, as for the variance ratio of first differences (Lo and MacKinlay 1988, Review of Financial
Studies 1).
"""

import math
from typing import NamedTuple

import numpy as np

from diagnostics.detectors.arrays import Values
from diagnostics.detectors.averages import EWMA_WEIGHT, latest_finite, median
from diagnostics.detectors.rolling import MAD_TO_DEVIATION

LONG_LAG = 4  # points: over more the learning curve bends, over fewer drift and batch noise look alike
LATEST = 1000  # points: how noisy a run was long ago says little about now
OUTLYING = 4.0  # robust deviations: of normal noise 1 difference in 16,000
LEAST = 2 * LONG_LAG + 1  # points that have such a difference
CONFIDENT = 1.645  # standard errors of the ratio: an upper bound that holds in 19 of 20 cases
FEWEST = 2.0  # independent smoothed values that can differ
MOST_PHI = 0.97  # a slower drift cannot be told from a random walk


class Noise(NamedTuple):
    """Standard deviation of the points, and an upper 95 % bound of the autocorrelation φ of neighbours."""

    deviation: float
    phi: float

    def error_of_mean(self, points: int) -> float:
        """The standard error of the mean of this many (≥ 1) consecutive points."""
        phi = self.phi
        lost = 2 * phi * (1 - phi**points) / (points * points * (1 - phi) ** 2)
        return self.deviation * math.sqrt((1 + phi) / (1 - phi) / points - lost)

    def error_of_gain(self, points: int) -> float:
        """The standard error of the current `ewma` less the median of the first points, of which there are `points`."""
        return math.hypot(self.error_of_ewma, math.sqrt(math.pi / 2) * self.error_of_mean(points))

    def range_of_ewma(self, points: int) -> float:
        """How far apart the smoothed values of a flat run of this many points lie by chance.

        The highest of n independent normal numbers is expected below √(2 ln n) deviations, and the lowest above minus
        that (Boucheron, Lugosi and Massart 2013, section 2.5); smoothed values are about independent 1 / weight apart.
        """
        return self.error_of_ewma * math.sqrt(8 * math.log(max(FEWEST, points * EWMA_WEIGHT)))

    @property
    def of_batches(self) -> "Noise":
        """The part that is new in each point, the luck of its batch, without the slow drift."""
        return Noise(self.deviation * math.sqrt((1 - self.phi) * (3 - self.phi) / 3), 0.0)

    @property
    def long_run_deviation(self) -> float:
        """The deviation of independent points whose mean, of many, would have the same standard error."""
        return self.deviation * math.sqrt((1 + self.phi) / (1 - self.phi))

    @property
    def error_of_ewma(self) -> float:
        """The standard error of the exponentially weighted mean of `ewma`."""
        kept = (1 - EWMA_WEIGHT) * self.phi
        return self.deviation * math.sqrt(EWMA_WEIGHT / (2 - EWMA_WEIGHT) * (1 + kept) / (1 - kept))


SILENT = Noise(0.0, 0.0)


def estimate_noise(values: Values, standard_errors: float = CONFIDENT) -> Noise:
    """The noise of the latest 1000 finite values around whatever curve they follow; none for fewer than 9 of them.

    φ is the likely autocorrelation plus `standard_errors` of its standard errors; 0 gives the likely value itself.
    Steps of the level and outliers are not noise: differences beyond four of their own robust deviations are left out.
    """
    known = latest_finite(values, LATEST)
    if len(known) < LEAST or not (near := _mean_square(known, 1)):
        return SILENT
    error = ERROR_OF_RATIO / math.sqrt(len(known) - 2)
    phi = float(np.interp(_mean_square(known, LONG_LAG) / near * (1 + standard_errors * error), RATIOS, PHIS))
    return Noise(math.sqrt(near / float(_expected(phi, 1))), phi)


def stable_length(points: int) -> int:
    """This many points, less one in 64 at most: a length that stays the same while a long series grows for a while.

    A limit estimated from that many first points does not move with every new point.
    """
    return points - points % (1 << max(0, points.bit_length() - 7))


def _mean_square(values: Values, lag: int) -> float:
    """The mean square of the second differences at this lag, without outliers; 0 where all differences are 0."""
    with np.errstate(over="ignore", invalid="ignore"):
        differences = np.abs(values[2 * lag :] - 2 * values[lag:-lag] + values[: -2 * lag])
        moved = differences[differences > 0]
        if not len(moved):
            return 0.0
        is_noise = differences <= OUTLYING * MAD_TO_DEVIATION * median(moved)
        return float(np.mean(differences[is_noise] ** 2))


def _expected(phi: float | Values, lag: int) -> float | Values:
    """The expected mean square of a second difference, for points of variance 1."""
    return 2 * (1 - phi**lag) * (3 - phi**lag)


def _error_of_ratio() -> float:
    """The relative standard error of the ratio for a random walk, times the root of the number of differences.

    By the delta method: twice the sum of the squared differences of the autocorrelations; the cross terms are those of
    the differences at one lag with those at the other.
    """
    near, far = (np.repeat([1.0, -1.0], lag) / math.sqrt(2 * lag) for lag in (1, LONG_LAG))
    alone = sum(float((np.correlate(kind, kind, "full") ** 2).sum()) for kind in (near, far))
    return math.sqrt(2 * (alone - 2 * float((np.correlate(far, near, "full") ** 2).sum())))


ERROR_OF_RATIO = _error_of_ratio()
PHIS = np.linspace(0.0, MOST_PHI, 195)
RATIOS = np.asarray(_expected(PHIS, LONG_LAG)) / np.asarray(_expected(PHIS, 1))
