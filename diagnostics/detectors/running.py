"""Running numbers: what is known of all points so far, carried on from point to point; causal, as the detectors are."""

import math
from functools import partial
from typing import Any

import numpy as np

from diagnostics.detectors.growing import Inputs, pointwise, resumed, summed_up
from diagnostics.model.series import Values

EWMA_WEIGHT = 0.1
EWMA_SETTLE = 10  # points until the average has forgotten most of its first value's noise


def ewma(values: Values) -> Values:
    """(N,) Exponentially weighted mean with weight 0.1, corrected for its start; it starts anew behind a NaN or ±Inf.

    The first nine points of each start are NaN: they follow single values too closely to be called a mean.
    """
    return resumed("ewma", (values,), _more_of_ewma)


def _more_of_ewma(inputs: Inputs, judged: int, state: tuple[float, float, int] | None) -> tuple[Values, Any]:
    """The means of the values that were not judged before, and what the next ones go on from."""
    keep = 1 - EWMA_WEIGHT
    more = inputs[0][judged:].tolist()
    means = [math.nan] * len(more)
    total, weight, known = state or (0.0, 0.0, 0)
    for index, value in enumerate(more):
        if not math.isfinite(value):
            total, weight, known = 0.0, 0.0, 0
            continue
        total = keep * total + EWMA_WEIGHT * value
        weight = keep * weight + EWMA_WEIGHT
        known += 1
        if known >= EWMA_SETTLE:
            means[index] = total / weight
    return np.array(means), (total, weight, known)


def drawdown(means: Values) -> Values:
    """(N,) How far each mean lies below the best one so far, ≥ 0; NaN where the mean is NaN."""
    return pointwise(np.subtract, extreme_so_far(means), means)


def extreme_so_far(values: Values, *, highest: bool = True) -> Values:
    """(N,) The highest, or lowest, of each value and those before it; NaN only before the first number."""
    return resumed(("extreme_so_far", highest), (values,), partial(_more_of_extreme, np.fmax if highest else np.fmin))


def _more_of_extreme(farther: np.ufunc, inputs: Inputs, judged: int, extreme: float | None) -> tuple[Values, Any]:
    before = [] if extreme is None else [extreme]
    extremes = farther.accumulate(np.concatenate([before, inputs[0][judged:]]))
    return extremes[len(before) :], float(extremes[-1]) if len(extremes) else None


def farthest(values: Values, *, highest: bool = True) -> float:
    """The highest, or lowest, of all values; NaN only where there is no number."""
    found: float = summed_up(("farthest", highest), values, partial(_more_of_farthest, highest))
    return found


def _more_of_farthest(highest: bool, values: Values, known: int, extreme: float | None) -> float:
    before, farther = math.nan if extreme is None else extreme, np.fmax if highest else np.fmin
    return float(farther.reduce(values[known:], initial=before)) + 0.0  # which makes −0 the 0 that it equals


def place_of_farthest(values: Values, *, highest: bool = True) -> int:
    """The index of the highest, or lowest, value, the first where there are several. Raises ValueError without any."""
    place: int = summed_up(("place_of_farthest", highest), values, partial(_more_of_place, highest))
    return place


def _more_of_place(highest: bool, values: Values, known: int, place: int | None) -> int:
    if place is None:
        return int(np.nanargmax(values) if highest else np.nanargmin(values))
    more = values[known:]
    if np.isnan(more).all():
        return place
    other = known + int(np.nanargmax(more) if highest else np.nanargmin(more))
    is_farther = values[other] > values[place] if highest else values[other] < values[place]
    return other if is_farther else place


def finite_range(values: Values) -> tuple[float, float]:
    """The lowest and the highest of the finite values; NaN twice where there is none."""
    return summed_up("finite_range", values, _more_of_range)


def _more_of_range(values: Values, known: int, found: tuple[float, float] | None) -> tuple[float, float]:
    lowest, highest = found or (math.nan, math.nan)
    more = values[known:]
    finite = more[np.isfinite(more)]
    return float(np.fmin.reduce(finite, initial=lowest)), float(np.fmax.reduce(finite, initial=highest))


def latest(values: Values) -> float:
    """The last finite value; NaN where there is none."""
    return summed_up("latest", values, _more_of_latest)


def _more_of_latest(values: Values, known: int, last: float | None) -> float:
    more = values[known:]
    finite = more[np.isfinite(more)]
    if len(finite):
        return float(finite[-1])
    return math.nan if last is None else last


def after(values: Values, warm_up: int) -> Values:
    """(N,) The values without the first `warm_up`, which become NaN: known to nobody, judged by none."""
    return resumed(("after", warm_up), (values,), partial(_more_of_after, warm_up))


def _more_of_after(warm_up: int, inputs: Inputs, judged: int, state: None) -> tuple[Values, Any]:
    more = inputs[0][judged:].copy()
    more[: max(0, warm_up - judged)] = np.nan
    return more, None
