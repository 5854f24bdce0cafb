"""The noise of a series: how far its values wander by themselves, and how sure that makes a mean of some of them.

It is taken for an autoregression of order one, xₜ = φ xₜ₋₁ + εₜ: φ near 0 is the noise of batches, φ near 1 a wandering
that looks like a trend for a while. Curves are left out by looking at second differences alone, xₜ₊ₖ − 2 xₜ + xₜ₋ₖ: a
line has none, and of a learning curve of many steps hardly anything is left in a few. Of an autoregression their mean
square is 2 σ² (1 − φᵏ)(3 − φᵏ). So those over four points against those over one tell φ: the ratio is 1 for independent
points and 4 for a random walk, as that of first differences is (Lo and MacKinlay 1988, Review of Financial Studies 1).
"""

import math
from typing import NamedTuple

import numpy as np

from diagnostics.detectors.growing import found_once
from diagnostics.detectors.rolling import MAD_TO_DEVIATION, latest_finite
from diagnostics.detectors.running import EWMA_WEIGHT
from diagnostics.model.series import Values

APART = 4  # points: of more a bend of the learning curve is taken for a wandering, of fewer nothing tells the two apart
LATEST = 1000  # points: what the noise was before is no news, and a new step of a long run costs no more
OUTLYING = 4.0  # robust deviations: of normal noise 1 difference in 16,000
LEAST = 2 * APART + 1  # points that have such a difference
CONFIDENT = 1.645  # standard errors of the ratio: an upper bound that holds in 19 of 20 cases
FEWEST = 2.0  # smoothed values that can lie apart
MOST_PHI = 0.97  # what returns more slowly cannot be told from what does not


class Noise(NamedTuple):
    """Standard deviation of the points, and the autocorrelation φ of neighbours: an upper bound, 19 times of 20."""

    deviation: float
    phi: float

    def of_mean(self, points: int) -> float:
        """The standard error of the mean of so many points in a row, ≥ 1."""
        phi = self.phi
        lost = 2 * phi * (1 - phi**points) / (points * points * (1 - phi) ** 2)
        return self.deviation * math.sqrt((1 + phi) / (1 - phi) / points - lost)

    def of_gain(self, points: int) -> float:
        """The standard error of the smoothed value now less the median of so many first points."""
        return math.hypot(self.of_smoothed, math.sqrt(math.pi / 2) * self.of_mean(points))

    def range_of_smoothed(self, points: int) -> float:
        """How far apart the smoothed values of a level run of so many points lie by chance.

        The highest of n independent normal numbers is expected below √(2 ln n) deviations, and the lowest above minus
        that (Boucheron, Lugosi and Massart 2013, section 2.5); smoothed values are about independent 1 / weight apart.
        """
        return self.of_smoothed * math.sqrt(8 * math.log(max(FEWEST, points * EWMA_WEIGHT)))

    @property
    def of_batches(self) -> "Noise":
        """The part that is new in each point, as the luck of its batch is, without what wanders."""
        return Noise(self.deviation * math.sqrt((1 - self.phi) * (3 - self.phi) / 3), 0.0)

    @property
    def long_run(self) -> float:
        """The deviation of independent points of which a mean of many would be as unsure."""
        return self.deviation * math.sqrt((1 + self.phi) / (1 - self.phi))

    @property
    def of_smoothed(self) -> float:
        """The standard error of the exponentially weighted mean of `running.ewma`."""
        kept = (1 - EWMA_WEIGHT) * self.phi
        return self.deviation * math.sqrt(EWMA_WEIGHT / (2 - EWMA_WEIGHT) * (1 + kept) / (1 - kept))


SILENT = Noise(0.0, 0.0)


@found_once
def noise(values: Values, standard_errors: float = CONFIDENT) -> Noise:
    """The noise of the latest 1000 finite values, whatever curve they follow; none for fewer than 9 of them.

    Its autocorrelation is so many standard errors above the likely one: 0 is for those who ask what is likely.

    Places at which a level is left at once, and outliers, are no noise: differences beyond four of their own robust
    deviations are left out.
    """
    known = latest_finite(values, LATEST)
    if len(known) < LEAST or not (near := _mean_square(known, 1)):
        return SILENT
    error = ERROR_OF_RATIO / math.sqrt(len(known) - 2)
    phi = float(np.interp(_mean_square(known, APART) / near * (1 + standard_errors * error), RATIOS, PHIS))
    return Noise(math.sqrt(near / float(_expected(phi, 1))), phi)


def _mean_square(values: Values, apart: int) -> float:
    """Of the second differences over so many points, without those that are no noise; 0 where there are none."""
    with np.errstate(over="ignore", invalid="ignore"):
        differences = np.abs(values[2 * apart :] - 2 * values[apart:-apart] + values[: -2 * apart])
        moved = differences[differences > 0]
        if not len(moved):
            return 0.0
        is_noise = differences <= OUTLYING * MAD_TO_DEVIATION * np.median(moved)
        return float(np.mean(differences[is_noise] ** 2))


def _expected(phi: float | Values, apart: int) -> float | Values:
    """The mean square of a second difference, for points of variance 1."""
    return 2 * (1 - phi**apart) * (3 - phi**apart)


def _error_of_ratio() -> float:
    """The relative standard error of the ratio for a random walk, times the root of the number of differences.

    By the delta method: twice the sum of the squared differences of the autocorrelations, which for the cross terms are
    those of the one kind of differences with the other.
    """
    near, far = (np.repeat([1.0, -1.0], apart) / math.sqrt(2 * apart) for apart in (1, APART))
    alone = sum(float((np.correlate(kind, kind, "full") ** 2).sum()) for kind in (near, far))
    return math.sqrt(2 * (alone - 2 * float((np.correlate(far, near, "full") ** 2).sum())))


ERROR_OF_RATIO = _error_of_ratio()
PHIS = np.linspace(0.0, MOST_PHI, 195)
RATIOS = np.asarray(_expected(PHIS, APART)) / np.asarray(_expected(PHIS, 1))
