"""Stillness: how far a series can have gone from where it began, as far as its noise lets one see."""

import math
from dataclasses import dataclass

import numpy as np

from diagnostics.detectors.arrays import Values
from diagnostics.detectors.noise import LEAST, Noise, estimate_noise
from diagnostics.detectors.proportions import CERTAIN

BLOCKS = 8  # of a series, whose levels are compared
PARTS = 3  # the first third of a series is compared with the last
UNSURE = 2.0  # standard errors by which a change may be larger than it seems


@dataclass(frozen=True, slots=True)
class Change:
    """The mean of the first third of a series, that of the last, and the standard error of their difference."""

    before: float
    after: float
    error: float

    @property
    def is_proven(self) -> bool:
        """Whether the level has changed by more than chance explains."""
        return abs(self.after - self.before) > CERTAIN * self.error

    def may_be_gain(self, much: float, standard_errors: float) -> bool:
        """Whether a rise by `much` lies within this many standard errors."""
        return self.after - self.before + standard_errors * self.error >= much

    @property
    def most(self) -> float:
        """The largest change that the noise leaves room for."""
        return abs(self.after - self.before) + UNSURE * self.error


def change_of_level(values: Values) -> Change | None:
    """The change from the first third of the finite values to the last; None where they are too few to know."""
    known = values[np.isfinite(values)]
    if len(known) < max(LEAST, 2 * PARTS):
        return None
    points = len(known) // PARTS
    before, after = known[:points], known[-points:]
    error = math.sqrt(2) * noise_within(known, before, after).error_of_mean(points)
    return Change(float(np.mean(before)), float(np.mean(after)), error)


def wandering(values: Values) -> float:
    """How many times the variance that luck explains the levels of the eighths of a series have.

    The luck is that of the points of each; 0 where these are fewer than two, ∞ where the levels alone differ.
    """
    known = values[np.isfinite(values)]
    points = len(known) // BLOCKS
    if points < 2:
        return 0.0
    blocks = known[: BLOCKS * points].reshape(BLOCKS, points)
    luck, of_levels = float(blocks.var(axis=1, ddof=1).mean()) / points, float(blocks.mean(axis=1).var(ddof=1))
    return of_levels / luck if luck else math.inf if of_levels else 0.0


def noise_within(values: Values, *parts: Values) -> Noise:
    """The noise of a series around the level of each of two or more of its parts: a jump between them is no noise.

    It is the noise around whatever curve the series follows, or the spread within the parts where that is smaller.
    """
    noise = estimate_noise(values, standard_errors=0.0)
    squares = sum(float(np.var(part)) * len(part) for part in parts)
    free = sum(map(len, parts)) - len(parts)
    return Noise(min(noise.deviation, math.sqrt(squares / free)) if free else noise.deviation, noise.phi)
