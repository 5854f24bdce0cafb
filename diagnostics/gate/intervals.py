"""Intervals of means over seeds and of their differences.

The unit is the run: a windowed mean of one run is one observation, for the points of a run are not independent. How far
runs scatter by themselves is taken from the baseline's seeds, for the question is whether the candidates could be
further runs of it: candidates that scatter more have changed as well, and their scatter must not excuse them. Student's
t then has one degree of freedom less than there are baseline runs. Where the baseline is a single run, the candidates'
scatter stands for it. Where both sides are single runs, nothing tells how far seeds lie apart: the interval then holds
only the noise within the two runs, and no difference between them is conclusive.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np

Basis = Literal["seeds of the baseline", "seeds of the candidates", "noise within the runs"]
_OF_BASELINE: Basis = "seeds of the baseline"
_OF_CANDIDATES: Basis = "seeds of the candidates"
_WITHIN: Basis = "noise within the runs"

_GRID = 20_001  # angles at which Student's density is summed
_NORMAL = 1e4  # degrees of freedom from which it is the normal one


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a comparison: a value for each run, and the mean standard error of such a value within its run."""

    values: tuple[float, ...]
    noise: float = 0.0

    @property
    def mean(self) -> float:
        """The mean over the runs."""
        return float(np.mean(self.values))

    @property
    def variance(self) -> float:
        """Of a run's value, over seeds; where there is one run or all agree to the last digit, of the noise within."""
        between = float(np.var(self.values, ddof=1)) if len(self.values) > 1 else 0.0
        return between or self.noise**2


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate with its bounds, each of which is passed by chance with the probability that was asked for."""

    estimate: float
    low: float
    high: float
    basis: Basis


def difference(candidate: Side, baseline: Side, rate: float) -> Interval:
    """How far the candidates' mean is from the baseline's."""
    counts = len(candidate.values), len(baseline.values)
    estimate = candidate.mean - baseline.mean
    if max(counts) == 1:
        return _around(estimate, math.sqrt(candidate.variance + baseline.variance), _NORMAL, rate, _WITHIN)
    scattered, basis = (baseline, _OF_BASELINE) if counts[1] > 1 else (candidate, _OF_CANDIDATES)
    error = math.sqrt(scattered.variance * (1 / counts[0] + 1 / counts[1]))
    return _around(estimate, error, len(scattered.values) - 1, rate, basis)


def mean_interval(side: Side, rate: float) -> Interval:
    """The mean of the candidates; of a single run it is about this run alone."""
    count = len(side.values)
    error = math.sqrt(side.variance / count)
    if count > 1:
        return _around(side.mean, error, count - 1, rate, _OF_CANDIDATES)
    return _around(side.mean, error, _NORMAL, rate, _WITHIN)


def _around(estimate: float, error: float, freedom: float, rate: float, basis: Basis) -> Interval:
    reach = error * student_quantile(1.0 - rate, freedom)
    return Interval(estimate, estimate - reach, estimate + reach, basis)


@lru_cache(maxsize=1024)
def student_quantile(probability: float, freedom: float) -> float:
    """The quantile of Student's t for one or more degrees of freedom.

    With x = √ν tan θ the density of t becomes proportional to cos(θ)^(ν−1), which is bounded: it is summed over θ.
    """
    freedom = min(freedom, _NORMAL)
    angles = np.linspace(-math.pi / 2, math.pi / 2, _GRID)
    density = np.cos(angles).clip(0.0) ** (freedom - 1)
    below = np.concatenate([[0.0], np.cumsum((density[1:] + density[:-1]) / 2)])
    return math.sqrt(freedom) * math.tan(float(np.interp(probability, below / below[-1], angles)))


def mean_noise(errors: Sequence[float]) -> float:
    """The root mean square of standard errors."""
    return math.sqrt(float(np.mean(np.square(errors)))) if errors else 0.0
