"""A series as the few numbers that a sparkline in a table cell draws."""

import numpy as np

from diagnostics.curves.downsample import kept
from diagnostics.model.series import Series

_COLUMNS = 24


def sparkline(series: Series | None) -> list[float]:
    """The finite numbers of a series, downsampled with their extremes kept; empty where there is none.

    A cell has no room for marks: that a value is NaN or ±Inf is said by the run's verdict and its charts.
    """
    if series is None:
        return []
    numbers = series.values[np.isfinite(series.values)]
    return [float(number) for number in numbers[kept(numbers, _COLUMNS)]]
