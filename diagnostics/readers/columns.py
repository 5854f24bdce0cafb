"""Growing columns: the points of each tag in log order, cheap to append and returned without copying.

Tags that are logged together share the memory of their steps and times: two thirds of what a long run holds.
"""

from array import array
from threading import Lock
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from diagnostics.model.series import NO_STEPS, NO_VALUES, RawSeries, Steps, Values

LEAST_ROOM = 32  # points, once there is more than one batch of them
_FARTHEST_SIGHT = 8  # times the current points: the most reserved at once, whatever a file promises
_MOST_SHARED = 4  # different arrays of steps, or of times, that a new one is compared with
_FEW = 8  # numbers, over which Python's own comparison is quicker than an array's

_Array: TypeAlias = npt.NDArray[Any]
_More: TypeAlias = "array[Any] | _Array"


class Columns:
    """The points of all tags. Arrays returned by `series` never change afterwards."""

    def __init__(self) -> None:
        self._columns: dict[str, _Column] = {}
        self._steps, self._times = _Shared(NO_STEPS), _Shared(NO_VALUES)
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
            column = self._columns[tag] = _Column(self._steps, self._times)
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


class _Numbers:
    """Numbers with spare capacity, which several columns may hold; what is written never changes."""

    __slots__ = ("_memory", "size")

    def __init__(self, start: _Array) -> None:
        self._memory, self.size = start, len(start)

    def first(self, size: int) -> _Array:
        """(size,) The first numbers, read-only."""
        view = self._memory[:size]
        view.setflags(write=False)
        return view

    def begins_with(self, numbers: _Array) -> bool:
        """Whether these are its first numbers."""
        return self.size >= len(numbers) and _are_equal(self._memory[: len(numbers)], numbers)

    def take(self, size: int, numbers: _More, more: int) -> bool:
        """Hold `numbers` after the first `size`, with room for `more`; False if others follow there already."""
        known = self._memory[size : min(self.size, size + len(numbers))]
        if not _are_equal(known, numbers[: len(known)]):
            return False
        if len(known) < len(numbers):
            self._append(numbers[len(known) :], more)
        return True

    def _append(self, numbers: _More, more: int) -> None:
        size = self.size + len(numbers)
        if self.size or more:
            self._make_room(size, more)
            self._memory[self.size : size] = numbers
        else:  # none to spare: a log may contain a million tags with one point each
            self._memory = np.array(numbers, self._memory.dtype)
        self.size = size

    def _make_room(self, needed: int, more: int) -> None:
        """Reserve memory for this many numbers, and for what is expected to come."""
        room = len(self._memory)
        if needed > room:
            expected = needed + min(more, _FARTHEST_SIGHT * needed) if more else 2 * room
            memory = np.empty(max(needed, expected, room * 9 // 8, LEAST_ROOM), self._memory.dtype)
            memory[: self.size] = self._memory[: self.size]
            self._memory = memory


class _Shared:
    """The arrays of steps, or of times, of one log, each held by all columns whose numbers it has."""

    __slots__ = ("_known", "nothing")

    def __init__(self, nothing: _Array) -> None:
        self.nothing = _Numbers(nothing)
        self._known: list[_Numbers] = []

    def with_more(self, own: _Numbers, size: int, numbers: _More, more: int) -> _Numbers:
        """What holds the first `size` numbers of `own` and then these: itself, another known one, or a new one."""
        if size and own.take(size, numbers, more):
            return own
        before = own.first(size)
        for known in self._known:
            if known.begins_with(before) and known.take(size, numbers, more):
                return known
        found = _Numbers(before.copy())
        found.take(size, numbers, more)
        self._known = [*self._known[1 - _MOST_SHARED :], found]
        return found


class _Column:
    """One tag: numbers that were moved into arrays, and recent points that were not yet."""

    __slots__ = (
        "_has_times",
        "_of_all_steps",
        "_of_all_times",
        "_size",
        "_steps",
        "_times",
        "_values",
        "new_steps",
        "new_times",
        "new_values",
    )

    def __init__(self, steps: _Shared, times: _Shared) -> None:
        self._size = 0
        self._has_times = False  # a log without times returns none rather than 1970
        self._of_all_steps, self._steps = steps, steps.nothing
        self._of_all_times, self._times = times, times.nothing
        self._values = _Numbers(NO_VALUES)
        self.new_steps = array("q")
        self.new_values = array("d")
        self.new_times = array("d")

    def __len__(self) -> int:
        return self._size + len(self.new_steps)

    def series(self, tag: str) -> RawSeries:
        self._consolidate()
        times = self._times.first(self._size) if self._has_times else NO_VALUES
        return RawSeries(tag, self._steps.first(self._size), self._values.first(self._size), times)

    def extend(self, steps: Steps, values: Values, times: Values, more: int) -> None:
        """Append points; memory already returned to callers is never overwritten."""
        self._consolidate()
        self._append(steps, values, times, more)

    def _consolidate(self) -> None:
        """Move the recent points into the arrays."""
        if self.new_steps:
            self._append(self.new_steps, self.new_values, self.new_times, 0)
            del self.new_steps[:], self.new_values[:], self.new_times[:]

    def _append(self, steps: _More, values: _More, times: _More, more: int) -> None:
        self._steps = self._of_all_steps.with_more(self._steps, self._size, steps, more)
        self._times = self._of_all_times.with_more(self._times, self._size, times, more)
        self._values.take(self._size, values, more)
        self._has_times = self._has_times or bool(np.count_nonzero(times))
        self._size += len(steps)


def _are_equal(some: _More, others: _More) -> bool:
    """Whether two rows of as many numbers are the same; NaN is like no other."""
    return some.tolist() == others.tolist() if len(some) <= _FEW else bool(np.array_equal(some, others))
