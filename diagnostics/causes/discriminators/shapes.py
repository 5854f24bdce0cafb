"""The shape of a metric: the breaks and the hard limits of a series that a run may or may not log."""

import numpy as np

from diagnostics.detectors.changepoint import Break, find_breaks, widest_break
from diagnostics.detectors.hard_limit import HardLimit, find_hard_limit
from diagnostics.detectors.rolling import rolling_median
from diagnostics.model.series import Series, Values


def find_break(series: Series | None) -> Break | None:
    """The widest break of a series; None where it has none, or is not logged."""
    return None if series is None else widest_break(series.steps, series.values)


def break_at(series: Series | None, step: int) -> Break | None:
    """The break of a series at exactly this step; None where there is none."""
    breaks = [] if series is None else find_breaks(series.steps, series.values)
    return next((found for found in breaks if found.step == step), None)


def hard_maximum(series: Series | None) -> HardLimit | None:
    """The value that a series reaches and never exceeds; None where it scatters, or is not logged."""
    return None if series is None else find_hard_limit(series.steps, series.values)


def hard_minimum(series: Series | None) -> HardLimit | None:
    """The value that a series reaches and never falls below; None where it scatters, or is not logged."""
    return None if series is None else find_hard_limit(series.steps, series.values, highest=False)


def medians_of_windows(values: Values, window: int) -> Values:
    """(N − window + 1,) The median of every `window` values in a row; empty where there are fewer."""
    return rolling_median(values, window)[window - 1 :]


def steps_between_points(series: Series) -> float:
    """How many steps usually lie between two logged points; 1 for a single point."""
    return float(np.median(np.diff(series.steps))) if len(series) > 1 else 1.0
