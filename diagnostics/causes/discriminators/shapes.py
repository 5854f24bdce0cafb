"""The shape of a metric: the breaks and the hard limits of a series that a run may or may not log."""

from diagnostics.detectors.changepoint import Break, find_breaks, widest_break
from diagnostics.detectors.hard_limit import HardLimit, find_hard_limit
from diagnostics.model.series import Series


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
