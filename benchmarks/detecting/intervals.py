"""The confidence intervals and the test behind the benchmark's tables, in closed form or by simple numerical search."""

import math
from collections.abc import Sequence
from statistics import fmean, variance

import numpy as np

_Z_95 = 1.959964
_POINTS = 4001


def wilson(hits: int, n: int) -> tuple[float, float]:
    """The 95 % interval of a share (Wilson 1927); (0, 1) for n = 0."""
    if n == 0:
        return 0.0, 1.0
    share, z2 = hits / n, _Z_95**2
    middle = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = _Z_95 / (1 + z2 / n) * math.sqrt(share * (1 - share) / n + z2 / (4 * n * n))
    return max(0.0, middle - half), min(1.0, middle + half)


def poisson_upper(events: int, exposure: float, level: float = 0.95) -> float:
    """The rate at which `events` or fewer have probability 1 − `level`; inf without exposure."""
    if exposure <= 0:
        return math.inf
    low, high = 0.0, 10.0 * (events + 5)
    while high - low > 1e-9:
        mean = (low + high) / 2
        low, high = (mean, high) if _at_most(events, mean) > 1 - level else (low, mean)
    return high / exposure


def t_test(sick: Sequence[float], healthy: Sequence[float]) -> float:
    """Two-sided p-value of Student's test for equal means; needs at least one sick run and two healthy ones.

    If neither side varies: 1 for equal means, else 0. NaN with too few runs.
    """
    if not sick or len(healthy) < 2:
        return math.nan
    difference = abs(fmean(sick) - fmean(healthy))
    freedom = len(sick) + len(healthy) - 2
    squares = variance(healthy) * (len(healthy) - 1) + (variance(sick) * (len(sick) - 1) if len(sick) > 1 else 0.0)
    error = math.sqrt(squares / freedom * (1 / len(sick) + 1 / len(healthy)))
    if error == 0:
        return float(difference == 0)
    return _two_sided(difference / error, freedom)


def _two_sided(t: float, freedom: int) -> float:
    """P(|T| > t) of Student's distribution: its density over the angle θ = atan(T / √ν) is cos^(ν−1) θ, up to scale."""
    angle = math.atan(t / math.sqrt(freedom))
    whole, tail = (np.linspace(start, math.pi / 2, _POINTS) for start in (0.0, angle))
    areas = [np.trapezoid(np.cos(theta) ** (freedom - 1), theta) for theta in (tail, whole)]
    return float(areas[0] / areas[1])


def _at_most(events: int, mean: float) -> float:
    return sum(math.exp(-mean + count * math.log(mean) - math.lgamma(count + 1)) for count in range(events + 1))
