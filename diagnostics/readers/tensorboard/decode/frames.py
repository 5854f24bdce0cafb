"""Frames: record boundaries of a whole stretch, found at once and verified by their checksums.

Nothing is assumed but the framing. The length of a record below 64 KiB has six zero bytes and its own checksum, which
tells it from chance; a stretch consists of records that each begin where the previous one ends. It stops before the
first position where that fails.
"""

from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from diagnostics.model.series import NO_STEPS
from diagnostics.readers.tensorboard.decode.crc import (
    FARTHEST,
    Places,
    Words,
    advance_crcs,
    as_stored,
    crcs_of,
    linear_crcs_of,
    masked_crc,
    unmasked_crcs,
)

Bytes = npt.NDArray[np.uint8]

HEADER_BYTES, CHECKSUM_BYTES = 12, 4
FIRST_WINDOW_BYTES = 1 << 15  # about one round or a few
LARGEST_WINDOW_BYTES = 1 << 21  # its arrays fit the processor's cache
LARGEST_RECORD = 1 << 14
_BLOCK_BYTES = 1 << 15
assert _BLOCK_BYTES + LARGEST_RECORD <= FARTHEST


@dataclass(frozen=True, slots=True)
class Frames:
    """Consecutive complete records with valid checksums.

    starts (N,) the offset of each record's payload in `data` · sizes (N,) its length in bytes. `end` is the offset
    after the last record.
    """

    data: bytes
    starts: Places
    sizes: Places
    end: int

    def __len__(self) -> int:
        return len(self.starts)

    def payload(self, index: int) -> bytes:
        """The payload of one record."""
        start = int(self.starts[index])
        return self.data[start : start + int(self.sizes[index])]


def find_frames(data: bytes, position: int, window_bytes: int = LARGEST_WINDOW_BYTES) -> Frames:
    """The records from a position on, as far as they are complete and valid and within a window; often none."""
    window = np.frombuffer(data, np.uint8, min(window_bytes, len(data) - position), position)
    if len(window) < HEADER_BYTES + CHECKSUM_BYTES:
        return Frames(data, NO_STEPS, NO_STEPS, position)
    starts, sizes = _find_records(window)
    count = _count_valid(data, position, starts, sizes, _unaligned(window, "<u4")) if len(starts) else 0
    starts, sizes = starts[:count] + (position + HEADER_BYTES), sizes[:count]
    return Frames(data, starts, sizes, int(starts[-1] + sizes[-1]) + CHECKSUM_BYTES if count else position)


def _find_records(window: Bytes) -> tuple[Places, Places]:
    """Where records begin in the window, each at the end of the previous one, and the sizes of their payloads."""
    is_zero = window == 0
    two = is_zero[:-1] & is_zero[1:]
    four = two[:-2] & two[2:]
    places = np.flatnonzero(four[:-2] & four[2:]) - 2
    places = places[(places >= 0) & (places <= len(window) - HEADER_BYTES - CHECKSUM_BYTES)]
    sizes = window[places] | window[places + 1].astype(np.int64) << 8
    places, sizes = places[is_small := sizes < LARGEST_RECORD], sizes[is_small]
    is_header = _unaligned(window, "<u4")[places + 8] == _header_checksums()[sizes]
    places, sizes = places[is_header], sizes[is_header]
    ends = places + sizes + (HEADER_BYTES + CHECKSUM_BYTES)
    goes_on = (places == np.concatenate([[0], ends[:-1]])) & (ends <= len(window))
    count = len(places) if goes_on.all() else int(np.argmin(goes_on))
    return places[:count], sizes[:count]


def _count_valid(data: bytes, position: int, starts: Places, sizes: Places, words: npt.NDArray[np.uint32]) -> int:
    """The number of records before the first block whose bytes do not match its checksums."""
    checksums = starts + sizes + HEADER_BYTES
    firsts = np.flatnonzero(np.diff(starts // _BLOCK_BYTES, prepend=-1))
    edges = np.append(starts[firsts], checksums[-1] + CHECKSUM_BYTES)
    stored = words[checksums]
    block_ends = np.repeat(edges[1:], np.diff(firsts, append=len(starts)))
    stated = advance_crcs(of_sizes(sizes) ^ unmasked_crcs(stored) ^ stored, block_ends - checksums)
    expected = np.bitwise_xor.reduceat(stated, firsts)
    found = linear_crcs_of([data[start:end] for start, end in pairwise((edges + position).tolist())])
    broken = np.flatnonzero(found != expected)
    return int(firsts[broken[0]]) if len(broken) else len(starts)


def of_sizes(sizes: Places) -> Words:
    """What a record's length alone contributes to its linear CRC: its header, and the XOR of its own CRC."""
    table = np.zeros(LARGEST_RECORD, dtype=np.uint32)
    for size in np.flatnonzero(np.bincount(sizes)).tolist():
        table[size] = _of_size(size)
    return table[sizes]


@cache
def _of_size(size: int) -> int:
    length = size.to_bytes(8, "little")
    header = length + masked_crc(length).to_bytes(4, "little")
    return int((linear_crcs_of([header + bytes(size)]) ^ crcs_of([bytes(size)]))[0])


@cache
def _header_checksums() -> Words:
    """The stored checksum of every length below `LARGEST_RECORD`, composed from those of its two bytes."""
    low = linear_crcs_of([bytes([byte, 0, 0, 0, 0, 0, 0, 0]) for byte in range(256)])
    high = linear_crcs_of([bytes([0, byte, 0, 0, 0, 0, 0, 0]) for byte in range(LARGEST_RECORD >> 8)])
    return as_stored(np.bitwise_xor.outer(high, low).ravel() ^ crcs_of([bytes(8)]))


def _unaligned(window: Bytes, dtype: str) -> npt.NDArray[np.uint32]:
    """The number starting at every byte."""
    return np.ndarray((len(window) - 3,), dtype, window, strides=(1,))
