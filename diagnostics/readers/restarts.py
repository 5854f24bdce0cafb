"""Restarts: a TensorBoard writer that goes on from an earlier step withdraws what was written from that step on."""

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from diagnostics.run import RawSeries


class Restart(NamedTuple):
    """A writer began anew at a step (`purge_step`); `sizes` says how many points each tag had by then."""

    step: int
    sizes: Mapping[str, int]

    def apply(self, series: RawSeries) -> RawSeries:
        """The series without the points that were withdrawn; those that were written again stay, as replaced ones."""
        size = self.sizes.get(series.tag, 0)
        is_old = np.arange(len(series.steps)) < size
        withdrawn = is_old & (series.steps >= self.step) & ~np.isin(series.steps, series.steps[size:])
        if not withdrawn.any():
            return series
        times = series.times[~withdrawn] if len(series.times) else series.times
        return replace(series, steps=series.steps[~withdrawn], values=series.values[~withdrawn], times=times)
