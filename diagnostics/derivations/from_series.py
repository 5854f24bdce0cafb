"""Derives a metric from logged series, aligned by step."""

from collections.abc import Mapping, Sequence
from functools import reduce

import numpy as np

from diagnostics.derivations.table import Formula
from diagnostics.model.derivation import Derivation
from diagnostics.model.series import NO_VALUES, Series, Steps, Values
from diagnostics.model.settings import Settings


def derive(formula: Formula, series: Mapping[str, Series], settings: Settings) -> Series | None:
    """The metric at the steps at which all inputs are logged; None where it does not follow from them.

    An input with a caveat means something else than most formulas do, so nothing follows from it by these.
    """
    inputs = [series[name] for name in formula.inputs if name in series]
    is_meant = formula.holds_anyway or not any(item.caveat for item in inputs)
    if formula.compute is None or len(inputs) < len(formula.inputs) or not is_meant:
        return None
    steps = reduce(np.intersect1d, [item.steps for item in inputs])
    values = formula.compute(tuple(_values_at(item, steps) for item in inputs), settings) if len(steps) else None
    if values is None:
        return None
    if formula.is_partial:
        steps, values = steps[np.isfinite(values)], values[np.isfinite(values)]
    derivation = Derivation(tuple(item.tag for item in inputs), formula.text, formula.precision)
    return Series(formula.target, formula.target, steps, values, _times_at(inputs, steps), derivation=derivation)


def _values_at(series: Series, steps: Steps) -> Values:
    return series.values[np.searchsorted(series.steps, steps)]


def _times_at(inputs: Sequence[Series], steps: Steps) -> Values:
    timed = next((item for item in inputs if len(item.times) == len(item.steps)), None)
    return NO_VALUES if timed is None else timed.times[np.searchsorted(timed.steps, steps)]
