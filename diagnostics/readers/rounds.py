"""Rounds: a trainer logs the same tags in the same order, so that long stretches of its file repeat one round of bytes.

The bytes of a round are learnt where records were just read one by one or by `layouts`; as long as the file goes on so,
rounds are compared with them as a whole and their numbers are views on the file. What differs in anything but numbers,
or breaks a checksum, is left to the other ways of reading.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from diagnostics.readers.crc import FARTHEST, Words, carried, carriers, linear, looked_up, unmasked
from diagnostics.readers.frames import CHECKSUM_BYTES, FIRST_WINDOW_BYTES, LARGEST_WINDOW_BYTES, Bytes, Frames, of_sizes
from diagnostics.readers.layouts import Names, learnt
from diagnostics.readers.pieces import Piece
from diagnostics.readers.places import Shape
from diagnostics.run import Steps

WINDOW_BYTES = 1 << 21
WORTH_FOLLOWING = 1 << 18  # bytes: for fewer, `layouts` takes no longer
LONGEST = 1 << 15  # bytes of a round
_LARGEST_PATIENCE = 32
_LONGEST_STEP = 8  # bytes of a varint: 56 bits
_BLOCK_BYTES = 1 << 15
assert LONGEST <= _BLOCK_BYTES <= FARTHEST


@dataclass(frozen=True, slots=True)
class Turns:
    """Rounds that were read: their points as pieces, the number of records, and the place after the last one."""

    pieces: list[Piece]
    records: int
    end: int


@dataclass(frozen=True, slots=True)
class _Column:
    """One record of a round: the place of its payload in the round, where its numbers are, and what they are called."""

    start: int
    shape: Shape
    names: Names

    @property
    def checksum(self) -> int:
        """The place of the payload's checksum."""
        return self.start + self.shape.size


_Varints = npt.NDArray[np.uint64]


class Round:
    """The round of records that a stretch ends with; see `learn`."""

    def __init__(self, template: bytes, columns: tuple[_Column, ...]) -> None:
        self.size = len(template)
        self._columns = columns
        self._template = np.frombuffer(template, np.uint8)
        self._fixed = self._fixed_bytes()
        self._checksums = np.array([column.checksum for column in columns])
        self._of_sizes = of_sizes(np.array([column.shape.size for column in columns]))
        self._carriers = carriers(self.size - self._checksums)

    def follow(self, data: bytes, position: int) -> Turns | None:
        """The rounds from a position on; None where they are too few or a checksum does not hold."""
        count = min(len(data) - position, WINDOW_BYTES) // self.size
        if count * self.size < WORTH_FOLLOWING:
            return None
        rounds = np.frombuffer(data, np.uint8, count * self.size, position).reshape(count, self.size)
        rounds = rounds[: self._alike(rounds)]
        if rounds.size < WORTH_FOLLOWING or not self._is_sound(data, position, rounds):
            return None
        return Turns(self._pieces(rounds), len(rounds) * len(self._columns), position + rounds.size)

    def _alike(self, rounds: Bytes) -> int:
        """How many rounds equal the template but for their numbers; looked at in parts that stay in the cache."""
        part = max(1, _BLOCK_BYTES * 4 // self.size)
        for start in range(0, len(rounds), part):
            differs = rounds[start : start + part] ^ self._template
            differs &= self._fixed
            if differs.any():
                return start + int(np.argmax(differs.any(axis=1)))
        return len(rounds)

    def _is_sound(self, data: bytes, position: int, rounds: Bytes) -> bool:
        """Whether the checksums of the records say what the CRC of the bytes is."""
        stored: Words = np.array([_numbers(rounds, place, "<u4") for place in self._checksums.tolist()])
        rows = np.arange(len(self._columns))[:, None]
        said = looked_up(self._carriers, rows, self._of_sizes[:, None] ^ unmasked(stored) ^ stored)
        per_block = max(1, _BLOCK_BYTES // self.size)
        firsts = np.arange(0, len(rounds), per_block)
        edges = np.append(firsts, len(rounds))
        left = np.repeat(edges[1:], np.diff(edges)) - np.arange(1, len(rounds) + 1)
        of_rounds = carried(np.bitwise_xor.reduce(said, axis=0), left * self.size)
        places = (edges * self.size + position).tolist()
        found = linear([data[start:end] for start, end in pairwise(places)])
        return bool((np.bitwise_xor.reduceat(of_rounds, firsts) == found).all())

    def _pieces(self, rounds: Bytes) -> list[Piece]:
        pieces: list[Piece] = []
        records = np.arange(len(rounds)) * len(self._columns)
        varints, steps = None, np.zeros(len(rounds), np.int64)
        for index, column in enumerate(self._columns):
            found = _varints(rounds, column)
            if varints is None or not (found == varints).all():
                varints, steps = found, _decoded(found)
            times = np.zeros(len(rounds))
            if column.shape.time is not None:
                times = _numbers(rounds, column.start + column.shape.time, "<f8")
            for (place, dtype), (tag, plugin) in zip(column.shape.values, column.names, strict=True):
                values = _numbers(rounds, column.start + place, dtype)
                pieces.append(Piece(tag, plugin, records + index, steps, values, times))
        return pieces

    def _fixed_bytes(self) -> Bytes:
        """Ones where rounds must be equal: everywhere but in numbers and checksums of payloads."""
        fixed = np.full(self.size, 255, np.uint8)
        for column in self._columns:
            fixed[column.start : column.checksum] = column.shape.fixed
            fixed[column.checksum : column.checksum + CHECKSUM_BYTES] = 0
        return fixed


class Rounds:
    """What is known of one file's rounds, and how much of it to read before the next attempt to learn some."""

    def __init__(self) -> None:
        self.window = FIRST_WINDOW_BYTES
        self._round: Round | None = None
        self._wait, self._patience = 0, 1  # stretches; where rounds are not found the attempts become rare

    def follow(self, data: bytes, position: int) -> Turns | None:
        """The rounds that begin at a position; None where there are none or too few."""
        turns = self._round.follow(data, position) if self._round is not None else None
        if turns is not None:
            self.window, self._wait, self._patience = FIRST_WINDOW_BYTES, 0, 1
        return turns

    def learn_from(self, frames: Frames) -> None:
        """Look for a round in a stretch that was read in another way."""
        self.window = min(2 * self.window, LARGEST_WINDOW_BYTES)
        self._wait -= 1
        if self._wait < 0:
            self._round = learn(frames)
            self._wait = self._patience
            self._patience = min(2 * self._patience, _LARGEST_PATIENCE)


def learn(frames: Frames) -> Round | None:
    """The round that a stretch ends with: from where its last tag stood before; None where the stretch has no round."""
    columns: list[_Column] = []
    end, last = frames.end, None
    for index in reversed(range(len(frames))):
        found = learnt(frames.payload(index))
        place = int(frames.starts[index])
        if found is None or end - place > LONGEST or _is_far(found[0]):
            return None
        shape, names = found
        if names == last:
            start = place + shape.size + CHECKSUM_BYTES
            placed = (_Column(column.start - start, column.shape, column.names) for column in reversed(columns))
            return Round(frames.data[start:end], tuple(placed))
        columns.append(_Column(place, shape, names))
        last = last or names
    return None


def _is_far(shape: Shape) -> bool:
    """Whether the step takes more bytes than a word has."""
    return shape.step is not None and shape.step[1] - shape.step[0] > _LONGEST_STEP


def _numbers(rounds: Bytes, place: int, dtype: str) -> npt.NDArray[Any]:
    """The number at a place in every round, as it lies in the file."""
    return np.ndarray((len(rounds),), dtype, rounds.ravel()[place:], strides=(rounds.shape[1],))


def _varints(rounds: Bytes, column: _Column) -> _Varints:
    """The step of every round as it is written, in the low bytes of a word."""
    start, end = column.shape.step or (0, 0)
    words = _numbers(rounds, column.start + start, "<u8")
    varints: _Varints = words & np.uint64((1 << 8 * (end - start)) - 1)
    return varints


def _decoded(varints: _Varints) -> Steps:
    """Varints (N,) of at most eight bytes as numbers."""
    numbers = varints & np.uint64(127)
    for place in range(1, _LONGEST_STEP):
        numbers |= varints >> np.uint64(place) & np.uint64(127 << 7 * place)
    return numbers.view(np.int64)
