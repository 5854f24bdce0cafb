"""Growth: arrays that are only ever appended to, and how one tells that an array is an older one with more behind it.

What is computed of a growing array can be kept for its beginning, if the beginning is known to be the same. Readers
hand out views of memory that they write to behind the end only, so that one look at the address tells it.
"""

from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt

Number = TypeVar("Number", bound=np.generic)

ROOM = 64  # numbers; memory gets at least so much more than it needs, and half of what it holds


def continues(new: npt.NDArray[Any], old: npt.NDArray[Any]) -> bool:
    """Whether an array of 64-bit numbers begins with all of an older one, bit for bit, so that NaN equals NaN.

    At once where both are views of the same memory, which nobody may have changed in between; else every number is
    compared.
    """
    size = len(old)
    if len(new) < size:
        return False
    if size == 0 or _lie_together(new, old):
        return True
    left, right = (np.ascontiguousarray(item[:size]).view(np.int64) for item in (new, old))
    return bool((left == right).all())


def _lie_together(new: npt.NDArray[Any], old: npt.NDArray[Any]) -> bool:
    """Whether the first numbers of both, and with them all others, are the same ones in memory."""
    return new.strides == old.strides and new.dtype == old.dtype and np.may_share_memory(new[:1], old[:1])


class Growing(Generic[Number]):
    """Numbers with room for more; a view that was handed out never changes."""

    __slots__ = ("_memory", "_size")

    def __init__(self, start: npt.NDArray[Number]) -> None:
        """Begin with these numbers, which are not copied before more of them come."""
        self._memory = start
        self._size = len(start)

    def __len__(self) -> int:
        return self._size

    def append(self, more: npt.NDArray[Number]) -> None:
        """Add numbers behind the last one."""
        size = self._size + len(more)
        if len(more) == 0:
            return
        if size > len(self._memory):
            room = np.empty(size - self._size + max(size // 2, ROOM), dtype=self._memory.dtype)
            self._memory = np.concatenate([self._memory[: self._size], room])
        self._memory[self._size : size] = more
        self._size = size

    def view(self) -> npt.NDArray[Number]:
        """(N,) All numbers so far, not to be written to."""
        found = self._memory[: self._size]
        found.setflags(write=False)
        return found
