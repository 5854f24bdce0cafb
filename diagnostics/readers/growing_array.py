"""Append-only arrays, and the test whether one array is a continuation of another.

Results for the beginning of an array stay valid while it is only appended to. Views share memory that is written to
behind their end only, so comparing addresses is enough.
"""

from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt

Number = TypeVar("Number", bound=np.generic)

ROOM = 64  # numbers: the least spare capacity; else half of the size


def extends(new: npt.NDArray[Any], old: npt.NDArray[Any]) -> bool:
    """Whether an array of 64-bit numbers begins with all of an older one, bit for bit, so that NaN equals NaN.

    Immediate for views of the same memory, which must not have been changed in between; else compares all numbers.
    """
    size = len(old)
    if len(new) < size:
        return False
    if size == 0 or _share_memory(new, old):
        return True
    left, right = (np.ascontiguousarray(item[:size]).view(np.int64) for item in (new, old))
    return bool((left == right).all())


def _share_memory(new: npt.NDArray[Any], old: npt.NDArray[Any]) -> bool:
    """Whether the first numbers of both, and so all others, lie at the same addresses."""
    return new.strides == old.strides and new.dtype == old.dtype and np.may_share_memory(new[:1], old[:1])


class Growing(Generic[Number]):
    """An array with spare capacity; views that were handed out never change."""

    __slots__ = ("_memory", "_size")

    def __init__(self, start: npt.NDArray[Number]) -> None:
        """Start with these numbers; they are copied only when more are appended."""
        self._memory = start
        self._size = len(start)

    def __len__(self) -> int:
        return self._size

    def append(self, more: npt.NDArray[Number]) -> None:
        """Append numbers."""
        size = self._size + len(more)
        if len(more) == 0:
            return
        if size > len(self._memory):
            room = np.empty(size - self._size + max(size // 2, ROOM), dtype=self._memory.dtype)
            self._memory = np.concatenate([self._memory[: self._size], room])
        self._memory[self._size : size] = more
        self._size = size

    def view(self) -> npt.NDArray[Number]:
        """(N,) All numbers so far, read-only."""
        found = self._memory[: self._size]
        found.setflags(write=False)
        return found
