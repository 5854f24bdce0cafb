"""The noise of a series: how far its values lie from the curve that they follow, found from the new points alone."""

import math
from functools import partial
from typing import NamedTuple

import numpy as np

from diagnostics.rules.growing import found_once, summed_up
from diagnostics.rules.windows import inflation, plain_rolling_median
from diagnostics.run import Values

NOISE_PHI = 0.6  # a real kink in the curve leaves residuals that look even more alike, and is no noise


@found_once
def noise(values: Values, window: int = 21) -> float:
    """Deviation of the finite values around their centred rolling median; 0 for fewer than `window` of them.

    Widened by √((1 + φ) / (1 − φ)) for autocorrelated noise, so that deviation / √n is the error of a mean of n points.
    """
    found = summed_up(("noise", window), values, partial(_more_residuals, window))
    power = found.power
    wider = inflation(found.lagged_power / power if power > 0 else 0.0, NOISE_PHI)
    return math.sqrt(power / found.points * wider) if found.points else 0.0


class _Residuals(NamedTuple):
    """Sums over what is left of finite values without their centred median, and the last values, which lack it yet.

    Everything is summed from the first to the last, so that the sums do not depend on when they were carried on.
    """

    line: Values
    points: int = 0
    first: float = 0.0
    last: float = 0.0
    total: float = 0.0
    squares: float = 0.0
    products: float = 0.0  # of neighbours

    @property
    def mean(self) -> float:
        return self.total / self.points if self.points else 0.0

    @property
    def power(self) -> float:
        """The sum of the squares around the mean."""
        return max(self.squares - self.points * self.mean * self.mean, 0.0)

    @property
    def lagged_power(self) -> float:
        """The sum of the products of neighbours around the mean."""
        inner = 2 * self.total - self.first - self.last
        return self.products - self.mean * inner + (self.points - 1) * self.mean * self.mean


def _more_residuals(window: int, values: Values, known: int, before: _Residuals | None) -> _Residuals:
    found = before or _Residuals(values[:0])
    more = values[known:]
    line = np.concatenate([found.line, more[np.isfinite(more)]])
    if len(line) < window:
        return found._replace(line=line)
    half = window // 2
    with np.errstate(over="ignore", invalid="ignore"):
        residuals = line[half : len(line) - half] - plain_rolling_median(line, window)[window - 1 :]
        chain = np.concatenate([[found.last], residuals]) if found.points else residuals
        return _Residuals(
            line[len(line) - window + 1 :],
            found.points + len(residuals),
            found.first if found.points else float(residuals[0]),
            float(residuals[-1]),
            _sum_on(found.total, residuals),
            _sum_on(found.squares, residuals * residuals),
            _sum_on(found.products, chain[1:] * chain[:-1]),
        )


def _sum_on(total: float, more: Values) -> float:
    """The total with more numbers added to it, one after the other."""
    return float(np.add.accumulate(np.concatenate([[total], more]))[-1])
