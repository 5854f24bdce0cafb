"""A series as the few numbers that a sparkline in a table cell draws."""

import numpy as np

from diagnostics.curves.downsample import downsample
from diagnostics.model.series import Series

_COLUMNS = 24


def sparkline(series: Series | None) -> list[float]:
    """The finite numbers of a series, downsampled to their extremes; empty without a series.

    A cell has no room to mark NaN and ±Inf: the verdict and the charts do.
    """
    if series is None:
        return []
    numbers = series.values[np.isfinite(series.values)]
    return [float(number) for number in numbers[downsample(numbers, _COLUMNS)]]
