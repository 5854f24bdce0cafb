"""Restarts: a TensorBoard writer that resumes from an earlier step invalidates what was written from that step on."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from diagnostics.model.series import RawSeries, Steps
from diagnostics.readers.growing_array import Growing


class Restart(NamedTuple):
    """A writer restarted at a step (`purge_step`); `sizes` is how many points each tag had by then."""

    step: int
    sizes: Mapping[str, int]

    def withdrawn(self, tag: str, steps: Steps) -> npt.NDArray[np.bool_]:
        """(N,) Which points of a tag are invalidated; those written again stay, as replaced points."""
        size = self.sizes.get(tag, 0)
        is_old = np.arange(len(steps)) < size
        found: npt.NDArray[np.bool_] = is_old & (steps >= self.step) & ~np.isin(steps, steps[size:])
        return found


class Restarts:
    """The restarts of one log. Filtered points are kept, so only new ones are filtered until the next restart."""

    def __init__(self) -> None:
        self._found: list[Restart] = []
        self._left: dict[str, _Left] = {}

    def add(self, restart: Restart) -> None:
        """Record one more restart."""
        self._found.append(restart)
        self._left.clear()

    def remaining_series(self, series: Mapping[str, RawSeries]) -> dict[str, RawSeries]:
        """The points of each tag that are still valid; `series` must extend that of the last call."""
        return {tag: self._remaining(raw) for tag, raw in series.items()} if self._found else dict(series)

    def _remaining(self, raw: RawSeries) -> RawSeries:
        left = self._left.get(raw.tag)
        if left is None or not left.goes_on(raw):
            left = self._left[raw.tag] = _Left(raw, [restart.withdrawn(raw.tag, raw.steps) for restart in self._found])
        return left.series(raw)


class _Left:
    """The valid points of one tag so far."""

    def __init__(self, raw: RawSeries, withdrawn: list[npt.NDArray[np.bool_]]) -> None:
        gone = np.logical_or.reduce(withdrawn)
        self._gone = np.unique(raw.steps[gone])
        self._seen = len(raw.steps)
        self._steps, self._values = Growing(raw.steps[~gone]), Growing(raw.values[~gone])
        self._has_times = len(raw.times) > 0
        self._times = Growing(raw.times[~gone] if self._has_times else raw.times)

    def goes_on(self, raw: RawSeries) -> bool:
        """Whether no invalidated step was written again since, nor the first point with a time."""
        if self._has_times != (len(raw.times) > 0):
            return False
        return len(self._gone) == 0 or not np.isin(raw.steps[self._seen :], self._gone).any()

    def series(self, raw: RawSeries) -> RawSeries:
        """These points followed by the new ones."""
        if len(self._gone) == 0:
            return raw
        self._steps.append(raw.steps[self._seen :])
        self._values.append(raw.values[self._seen :])
        self._times.append(raw.times[self._seen :])
        self._seen = len(raw.steps)
        return RawSeries(raw.tag, self._steps.view(), self._values.view(), self._times.view())
