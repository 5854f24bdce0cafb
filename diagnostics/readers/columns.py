"""Growing columns: the points of each tag in log order, cheap to append and returned without copying."""

from array import array
from collections.abc import Sequence
from threading import Lock

import numpy as np

from diagnostics.model.series import NO_STEPS, NO_VALUES, RawSeries, Steps, Values

LEAST_ROOM = 32  # points, once there is more than one batch of them
_FARTHEST_SIGHT = 8  # times the current points: the most reserved at once, whatever a file promises


class Columns:
    """The points of all tags. Arrays returned by `series` never change afterwards."""

    def __init__(self) -> None:
        self._columns: dict[str, _Column] = {}
        self._lock = Lock()  # several readers may ask for the same points

    def add(self, tag: str, step: int, value: float, time: float) -> None:
        """Append one point; `time` is in seconds since the epoch, 0 if unknown.

        Raises OverflowError for a step beyond 64 bits.
        """
        column = self.open(tag)
        column.new_steps.append(step)
        column.new_values.append(value)
        column.new_times.append(time)

    def extend(self, tag: str, steps: Steps, values: Values, times: Values, more: int = 0) -> None:
        """Append many points (N,) of one tag, reserving room for `more` if the arrays have to grow."""
        self.open(tag).extend(steps, values, times, more)

    def open(self, tag: str) -> "_Column":
        """Reserve a tag's position among the tags before its first point arrives."""
        column = self._columns.get(tag)
        if column is None:
            column = self._columns[tag] = _Column()
        return column

    @property
    def tags(self) -> tuple[str, ...]:
        """The tags so far, in order of appearance."""
        return tuple(self._columns)

    @property
    def sizes(self) -> dict[str, int]:
        """The number of points of each tag."""
        return {tag: len(column) for tag, column in self._columns.items()}

    def series(self) -> dict[str, RawSeries]:
        """All points so far, by tag, tags in order of appearance."""
        with self._lock:
            return {tag: column.series(tag) for tag, column in self._columns.items()}


class _Column:
    """One tag: numpy arrays with spare capacity, and recent points not moved into them yet."""

    __slots__ = ("_has_times", "_size", "_steps", "_times", "_values", "new_steps", "new_times", "new_values")

    def __init__(self) -> None:
        self._size = 0
        self._has_times = False  # a log without times returns none rather than 1970
        self._steps: Steps = NO_STEPS
        self._values: Values = NO_VALUES
        self._times: Values = NO_VALUES
        self.new_steps = array("q")
        self.new_values = array("d")
        self.new_times = array("d")

    def __len__(self) -> int:
        return self._size + len(self.new_steps)

    def series(self, tag: str) -> RawSeries:
        self._consolidate()
        steps, values = self._steps[: self._size], self._values[: self._size]
        times = self._times[: self._size] if self._has_times else NO_VALUES
        for view in (steps, values, times):
            view.setflags(write=False)
        return RawSeries(tag, steps, values, times)

    def extend(self, steps: Steps, values: Values, times: Values, more: int) -> None:
        """Append points; memory already returned to callers is never overwritten."""
        self._consolidate()
        self._append(steps, values, times, more)

    def _consolidate(self) -> None:
        """Move the recent points into the arrays."""
        if self.new_steps:
            self._append(self.new_steps, self.new_values, self.new_times)
            del self.new_steps[:], self.new_values[:], self.new_times[:]

    def _append(
        self,
        steps: Sequence[int] | Steps,
        values: Sequence[float] | Values,
        times: Sequence[float] | Values,
        more: int = 0,
    ) -> None:
        size = self._size + len(steps)
        if self._size or more:
            self._make_room(size, more)
            self._steps[self._size : size] = steps
            self._values[self._size : size] = values
            self._times[self._size : size] = times
        else:  # none to spare: a log may contain a million tags with one point each
            self._steps, self._values = np.array(steps, np.int64), np.array(values, np.float64)
            self._times = np.array(times, np.float64)
        self._has_times = self._has_times or bool(np.count_nonzero(self._times[self._size : size]))
        self._size = size

    def _make_room(self, needed: int, more: int) -> None:
        """Reserve memory for this many points, and for what is expected to come."""
        if needed > len(self._steps):
            expected = needed + min(more, _FARTHEST_SIGHT * needed) if more else 2 * len(self._steps)
            self._grow(max(needed, expected, len(self._steps) * 9 // 8, LEAST_ROOM))

    def _grow(self, capacity: int) -> None:
        size, steps, values, times = self._size, self._steps, self._values, self._times
        self._steps, self._values, self._times = np.empty(capacity, np.int64), np.empty(capacity), np.empty(capacity)
        self._steps[:size], self._values[:size], self._times[:size] = steps[:size], values[:size], times[:size]
