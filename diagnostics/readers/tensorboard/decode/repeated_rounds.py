"""Rounds: a trainer logs the same tags in the same order, so long stretches of its file repeat one byte pattern.

The pattern of a round is learned from records decoded in another way; as long as the file repeats it, whole rounds are
compared with it and their numbers become views on the file. Rounds that differ in anything but numbers, or fail a
checksum, are left to the other ways of decoding.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from operator import attrgetter

import numpy as np
import numpy.typing as npt

from diagnostics.model.series import Steps
from diagnostics.readers.tensorboard.decode.crc import (
    FARTHEST,
    Places,
    Words,
    advance_tables,
    linear_crcs_of,
    looked_up,
    unmasked_crcs,
)
from diagnostics.readers.tensorboard.decode.field_offsets import Shape
from diagnostics.readers.tensorboard.decode.frames import CHECKSUM_BYTES, HEADER_BYTES, Bytes, Frames, of_sizes
from diagnostics.readers.tensorboard.decode.record_layouts import Names, shape_and_names
from diagnostics.readers.tensorboard.decode.tag_points import TagPoints

WORTH_FOLLOWING = 1 << 16  # bytes; for fewer, `record_layouts` is as fast
LONGEST = 1 << 15  # bytes of a round
_LONGEST_STEP = 8  # bytes of a varint: 56 bits
_BLOCK_BYTES, _BLOCK_ROUNDS = 1 << 15, 32  # covered by one CRC at most
_COMPARED_BYTES = 1 << 17  # at once, so that they fit the processor's cache
_CHECKED_RECORDS = 1 << 13  # at once, for the same reason
assert LONGEST <= _BLOCK_BYTES <= FARTHEST


@dataclass(frozen=True, slots=True)
class DecodedRounds:
    """Rounds that were decoded: the points of each tag, the number of records, and the offset after the last one."""

    points: list[TagPoints]
    records: int
    end: int
    round_bytes: int


@dataclass(frozen=True, slots=True)
class Column:
    """One record of a round: its payload's offset in the round, its shape, and its names."""

    start: int
    shape: Shape
    names: Names

    @property
    def checksum(self) -> int:
        """The offset of the payload's checksum."""
        return self.start + self.shape.size

    @property
    def end(self) -> int:
        """The offset after the record."""
        return self.checksum + CHECKSUM_BYTES


class Round:
    """The records that repeat, in order; see `learn_round`."""

    def __init__(self, template: bytes, columns: tuple[Column, ...]) -> None:
        self.size = len(template)
        self.columns = columns
        self._template = np.frombuffer(template, np.uint8)
        self._fixed = self._fixed_bytes()
        checksums = np.array([column.checksum for column in columns])
        self._checksums = _spans(checksums, CHECKSUM_BYTES)
        self._of_sizes = of_sizes(np.array([column.shape.size for column in columns]))[:, None]
        self._carriers, self._rows = advance_tables(self.size - checksums), np.arange(len(columns))[:, None]
        self._later = advance_tables(np.arange(max(1, min(_BLOCK_BYTES // self.size, _BLOCK_ROUNDS))) * self.size)
        spans = np.array([column.shape.step or (0, 0) for column in columns]) + [[column.start] for column in columns]
        self._steps = _spans(spans[:, 0], _LONGEST_STEP)
        self._step_bits = np.array([(1 << 8 * size) - 1 for size in np.diff(spans).ravel().tolist()], np.uint64)
        self._numbers = self._places_of_numbers()

    def remaining(self, index: int) -> int:
        """The bytes from the start of a column's record to the end of the round."""
        return self.size - self.columns[index].start + HEADER_BYTES

    def is_at(self, data: bytes, position: int) -> bool:
        """Whether enough rounds to be worth decoding seem to start here."""
        rounds = self._rounds(data, position)[: -(-WORTH_FOLLOWING // self.size)]
        return rounds.size >= WORTH_FOLLOWING and self._count_matching(rounds) == len(rounds)

    def decode_at(self, data: bytes, position: int) -> DecodedRounds | None:
        """The rounds with valid checksums from a position on; None if there are too few."""
        rounds = self._rounds(data, position)
        if rounds.size < WORTH_FOLLOWING:
            return None
        rounds = rounds[: self._count_valid(data, position, rounds)]
        if rounds.size < WORTH_FOLLOWING:
            return None
        records = len(rounds) * len(self.columns)
        return DecodedRounds(self._points(rounds), records, position + rounds.size, self.size)

    def _rounds(self, data: bytes, position: int) -> Bytes:
        """As many rounds as the data may contain: (N, size)."""
        count = (len(data) - position) // self.size
        return np.frombuffer(data, np.uint8, count * self.size, position).reshape(count, self.size)

    def _count_matching(self, rounds: Bytes) -> int:
        """The number of leading rounds that equal the template except for their numbers."""
        part = max(1, _COMPARED_BYTES // self.size)
        scratch = np.empty((min(part, len(rounds)), self.size), np.uint8)
        for start in range(0, len(rounds), part):
            compared = rounds[start : start + part]
            differs = np.bitwise_xor(compared, self._template, out=scratch[: len(compared)])
            differs &= self._fixed
            if differs.max():
                return start + int(np.argmax(differs.any(axis=1)))
        return len(rounds)

    def _count_valid(self, data: bytes, position: int, rounds: Bytes) -> int:
        """The number of leading rounds that match the template and are valid, checked in cache-sized parts."""
        part = len(self._later) * max(1, _CHECKED_RECORDS // (len(self._later) * len(self.columns)))
        for start in range(0, len(rounds), part):
            looked_at = rounds[start : start + part]
            count = self._count_matching(looked_at)
            if not count or not self._are_sound(data, position + start * self.size, looked_at[:count]):
                return start
            if count < len(looked_at):
                return start + count
        return len(rounds)

    def _are_sound(self, data: bytes, position: int, rounds: Bytes) -> bool:
        """Whether the records' stored checksums match the CRC of their bytes, block by block."""
        stored: Words = np.ascontiguousarray(rounds.take(self._checksums, axis=1).view("<u4").T)
        stated = looked_up(self._carriers, self._rows, self._of_sizes ^ unmasked_crcs(stored) ^ stored)
        per_block = len(self._later)
        firsts = np.arange(0, len(rounds), per_block)
        edges = np.append(firsts, len(rounds))
        later = np.repeat(edges[1:], np.diff(edges)) - np.arange(1, len(rounds) + 1)
        of_rounds = looked_up(self._later, later, np.bitwise_xor.reduce(stated, axis=0))
        places = (edges * self.size + position).tolist()
        found = linear_crcs_of([data[start:end] for start, end in pairwise(places)])
        return bool((np.bitwise_xor.reduceat(of_rounds, firsts) == found).all())

    def _points(self, rounds: Bytes) -> list[TagPoints]:
        varints = rounds.take(self._steps, axis=1).view("<u8") & self._step_bits
        common = _decoded(varints[:, 0]) if (varints == varints[:, :1]).all() else None
        numbers, fields = rounds.view(self._numbers)[:, 0], iter(self._numbers.names or ())
        found: list[TagPoints] = []
        for index, column in enumerate(self.columns):
            steps = _decoded(varints[:, index]) if common is None else common
            times = numbers[next(fields)] if column.shape.time is not None else np.zeros(len(rounds))
            for tag, plugin in column.names:
                found.append(TagPoints(tag, plugin, steps, numbers[next(fields)], times))
        return found

    def _fixed_bytes(self) -> Bytes:
        """A mask of the bytes in which rounds must be equal: all but numbers and payload checksums."""
        fixed = np.full(self.size, 255, np.uint8)
        for column in self.columns:
            fixed[column.start : column.checksum] = column.shape.fixed_bits
            fixed[column.checksum : column.end] = 0
        return fixed

    def _places_of_numbers(self) -> np.dtype[np.void]:
        """A round as a structured dtype of its times and values, column by column."""
        places: list[tuple[int, str]] = []
        for column in self.columns:
            times = [] if column.shape.time is None else [(column.shape.time, "<f8")]
            places += [(column.start + place, dtype) for place, dtype in (*times, *column.shape.values)]
        names, offsets, formats = zip(*((str(n), place, dtype) for n, (place, dtype) in enumerate(places)), strict=True)
        return np.dtype({"names": names, "formats": formats, "offsets": offsets, "itemsize": self.size})


def learn_round(frames: Frames) -> Round | None:
    """The round at the end of a stretch, back to the previous occurrence of its last tag; None if there is none.

    It is rotated to begin where the step changes, so that it ends where the trainer's own round does.
    """
    columns: list[Column] = []
    end, last, tags = frames.end, None, set[str]()
    for index in reversed(range(len(frames))):
        found = shape_and_names(frames.payload(index))
        place = int(frames.starts[index])
        if found is None or end - place > LONGEST or not _is_easy(found[0]):
            return None
        shape, names = found
        if names == last:
            return _round(frames.data[place + shape.size + CHECKSUM_BYTES : end], columns[::-1])
        if not tags.isdisjoint(tag for tag, _ in names):
            return None
        tags.update(tag for tag, _ in names)
        columns.append(Column(place - end, shape, names))
        last = last or names
    return None


def _round(template: bytes, columns: Sequence[Column]) -> Round:
    """The round of these bytes, rotated; column offsets are counted from the end of the bytes."""
    steps = [template[column.start :][slice(*column.shape.step or (0, 0))] for column in columns]
    first = next((index for index, (one, other) in enumerate(pairwise(steps), 1) if one != other), 0)
    turn = columns[first].start - HEADER_BYTES
    placed = (replace(column, start=(column.start - turn) % len(template)) for column in columns)
    return Round(template[turn:] + template[:turn], tuple(sorted(placed, key=attrgetter("start"))))


def _is_easy(shape: Shape) -> bool:
    """Whether one 8-byte word at the step's offset contains the whole step and stays within the record."""
    if shape.step is None:
        return shape.size + CHECKSUM_BYTES >= _LONGEST_STEP
    start, end = shape.step
    return end - start <= _LONGEST_STEP <= shape.size + CHECKSUM_BYTES - start


def _spans(starts: Places, size: int) -> Places:
    """The byte offsets of `size` bytes from each start."""
    return (starts[:, None] + np.arange(size)).ravel()


def _decoded(varints: npt.NDArray[np.uint64]) -> Steps:
    """Decode varints (N,) of at most eight bytes."""
    numbers = varints & np.uint64(127)
    for place in range(1, _LONGEST_STEP):
        numbers |= varints >> np.uint64(place) & np.uint64(127 << 7 * place)
    return numbers.view(np.int64)
