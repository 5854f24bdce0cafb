"""Layouts: byte offsets learned from one record, used to decode every other record of the same shape at once.

A layout fixes the offsets of a record's time, step and values; every other byte must be the same in each record of that
layout. Layouts that differ only in those other bytes (in the tag) form a family; its records are told apart by a hash
of those bytes and then compared byte by byte. A record that fits no layout is left to `decode_event`.
"""

import struct
from collections.abc import Iterator
from itertools import pairwise
from operator import attrgetter
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from diagnostics.model.series import Steps, Values
from diagnostics.readers.tensorboard.decode.crc import Places
from diagnostics.readers.tensorboard.decode.field_offsets import Shape, shape_of
from diagnostics.readers.tensorboard.decode.frames import Frames
from diagnostics.readers.tensorboard.decode.tag_points import TagPoints
from diagnostics.readers.tensorboard.events import SCALAR_PLUGINS, decode_event

Words = npt.NDArray[np.uint64]
_Rows = npt.NDArray[np.uint8]
Names = tuple[tuple[str, str], ...]  # tag and plugin of each value

WORTH_LEARNING = 4  # records of a layout within a window; fewer are decoded one at a time
FAMILIES_PER_WINDOW = 4  # tried per record size, so that a window of odd records stays linear in its bytes
_WORD_BYTES = 8
_ODD = 0x9E3779B97F4A7C15  # its powers spread words over 64 bits (fraction of the golden ratio)


class Batch(NamedTuple):
    """A stretch of records: runs of points in the order of their first record, and the records left over, in order."""

    points: list[TagPoints]
    rest: list[int]


class Layouts:
    """The layouts learned from one training's records; `decode` keeps learning."""

    def __init__(self) -> None:
        self._families: dict[int, list[_Family]] = {}

    def decode(self, frames: Frames) -> Batch:
        """Decode every record in a stretch that has a known shape, or one that recurs in it."""
        batch = Batch([], [])
        order = np.argsort(frames.sizes.astype(np.uint16), kind="stable")
        sizes = frames.sizes[order]
        for members in np.split(order, np.flatnonzero(np.diff(sizes)) + 1):
            self._decode_size(frames, members, batch)
        batch.points.sort(key=attrgetter("first_record"))
        batch.rest.sort()
        return batch

    def _decode_size(self, frames: Frames, members: Places, batch: Batch) -> None:
        """Decode the records of one size, given by their positions (N,) in the stretch."""
        size = int(frames.sizes[members[0]])
        families = self._families.setdefault(size, [])
        if not families and len(members) < WORTH_LEARNING:
            batch.rest.extend(members.tolist())
            return
        rows = _rows(frames, members, size)
        for family in families:
            members, rows = family.decode(rows, members, batch)
        for _ in range(FAMILIES_PER_WINDOW):
            if len(members) < WORTH_LEARNING:
                break
            found = _family_of(frames.payload(int(members[0])), families)
            if found is None:
                batch.rest.append(int(members[0]))
                members, rows = members[1:], rows[1:]
            else:
                found.learn(rows, members, frames)
                members, rows = found.decode(rows, members, batch)
        batch.rest.extend(members.tolist())


class _Family:
    """Layouts of the same shape."""

    def __init__(self, shape: Shape) -> None:
        self.shape = shape
        self._lead = -shape.size % _WORD_BYTES  # padding that `_rows` puts before a payload
        self._mask: Words = np.concatenate([np.zeros(self._lead, np.uint8), shape.fixed_bits]).view(np.uint64)
        self._factors: Words = np.cumprod(np.full(len(self._mask), _ODD, np.uint64), dtype=np.uint64)
        self._layouts: dict[int, Names] = {}  # hash → tag and plugin of each value
        self._keys = np.empty(0, np.uint64)  # ascending
        self._templates = np.empty((0, len(self._mask)), np.uint64)
        self._points: list[Names] = []

    def learn(self, rows: Words, members: Places, frames: Frames) -> None:
        """Learn the layouts that recur among records, and the first record's."""
        masked = rows & self._mask
        keys, firsts, counts = np.unique(masked @ self._factors, return_index=True, return_counts=True)
        recurs = (counts >= WORTH_LEARNING) | (firsts == 0)
        for key, first in zip(keys[recurs].tolist(), firsts[recurs].tolist(), strict=True):
            found = shape_and_names(frames.payload(int(members[first])))
            if key not in self._layouts and found is not None and found[0] == self.shape:
                self._layouts[key] = found[1]
                self._keys = np.append(self._keys, np.uint64(key))
                self._templates = np.concatenate([self._templates, masked[first : first + 1]])
                self._points.append(found[1])
        order = np.argsort(self._keys)
        self._keys, self._templates = self._keys[order], self._templates[order]
        self._points = [self._points[index] for index in order.tolist()]

    def decode(self, rows: Words, members: Places, batch: Batch) -> tuple[Places, Words]:
        """Decode the records of this family; returns the others."""
        if not len(self._keys):
            return members, rows
        masked = rows & self._mask
        keys = masked @ self._factors
        which = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        masked ^= self._templates[which]
        if masked.any():
            fits = ~masked.any(axis=1)
            others = members[~fits], rows[~fits]
            members, rows, which = members[fits], rows[fits], which[fits]
        else:
            others = members[:0], rows[:0]
        if len(members):
            batch.points.extend(self._runs(rows.view(np.uint8).reshape(len(rows), -1), members, which))
        return others

    def _runs(self, rows: _Rows, members: Places, which: Places) -> Iterator[TagPoints]:
        order = np.argsort(which.astype(np.uint16), kind="stable")
        members, which = members[order], which[order]
        times, steps = self._times(rows)[order], self._steps(rows)[order]
        columns = [self._numbers(rows, place, dtype)[order] for place, dtype in self.shape.values]
        edges = [0, *(np.flatnonzero(np.diff(which)) + 1).tolist(), len(which)]
        for start, end in pairwise(edges):
            part = slice(start, end)
            for (tag, plugin), values in zip(self._points[which[start]], columns, strict=True):
                yield TagPoints(tag, plugin, steps[part], values[part], times[part], members[part])

    def _times(self, rows: _Rows) -> Values:
        return np.zeros(len(rows)) if self.shape.time is None else self._numbers(rows, self.shape.time, "<f8")

    def _steps(self, rows: _Rows) -> Steps:
        steps = np.zeros(len(rows), np.uint64)
        start, end = self.shape.step or (0, 0)
        for place in range(start, end):
            steps |= (rows[:, self._lead + place] & np.uint8(127)).astype(np.uint64) << np.uint64(7 * (place - start))
        return steps.view(np.int64)

    def _numbers(self, rows: _Rows, place: int, dtype: str) -> Values:
        start = self._lead + place
        numbers = np.ascontiguousarray(rows[:, start : start + np.dtype(dtype).itemsize]).view(dtype).ravel()
        return numbers.astype(np.float64)


def _rows(frames: Frames, members: Places, size: int) -> Words:
    """The payloads of records of one size, padded in front to whole words: (N, words)."""
    width = size + -size % _WORD_BYTES
    windows = np.ndarray((len(frames.data) - width + 1,), f"V{width}", frames.data, strides=(1,))
    found: Words = windows[frames.starts[members] + (size - width)].view(np.uint64).reshape(len(members), -1)
    return found


def _family_of(payload: bytes, families: list[_Family]) -> _Family | None:
    """The family of a record, added if it is new; None if the record has no layout."""
    found = shape_and_names(payload)
    if found is None:
        return None
    known = next((family for family in families if family.shape == found[0]), None)
    if known is None:
        known = _Family(found[0])
        families.append(known)
    return known


def shape_and_names(payload: bytes) -> tuple[Shape, Names] | None:
    """The shape of a record, with tag and plugin of each value; None unless all values are scalars at fixed offsets."""
    try:
        event = decode_event(payload)
    except (ValueError, struct.error):
        return None
    names = tuple((point.tag, point.plugin) for point in event.points)
    are_points = all(point.value is not None and point.plugin in SCALAR_PLUGINS for point in event.points)
    if not names or not are_points or len({tag for tag, _ in names}) != len(names):
        return None
    shape = shape_of(payload, event)
    return None if shape is None else (shape, names)
