"""CRC-32C over many records at once: what the stored checksums say of a whole stretch, held against the stretch itself.

A CRC is linear over GF(2). The CRC of a stretch follows from those of its parts, each carried over the bytes after it,
so the checksums stored in N records predict the CRC of all their bytes, and one pass in C tells whether they hold. This
is as strong as checking each record: an error goes unseen with probability 2⁻³².
"""

from collections.abc import Sequence
from functools import cache

import google_crc32c
import numpy as np
import numpy.typing as npt

Words = npt.NDArray[np.uint32]
Places = npt.NDArray[np.int64]
Tables = npt.NDArray[np.uint32]  # (N, 4, 256): how far, which byte of the CRC, that byte's value

FARTHEST = (1 << 16) - 1  # bytes that `carried` reaches
_ALL_ONES = 0xFFFFFFFF  # a CRC-32C begins and ends with an exclusive or with this
_MASK = 0xA282EAD8


def masked(data: bytes) -> int:
    """The CRC-32C of one piece, rotated and offset as event files store it."""
    crc: int = google_crc32c.value(data)
    return ((crc >> 15 | crc << 17) + _MASK) & _ALL_ONES


def as_stored(crcs: Words) -> Words:
    """CRC-32Cs as event files store them."""
    return (crcs >> np.uint32(15) | crcs << np.uint32(17)) + np.uint32(_MASK)


def unmasked(stored: Words) -> Words:
    """The CRC-32Cs that event files store as these."""
    rotated = stored - np.uint32(_MASK)
    return rotated >> np.uint32(17) | rotated << np.uint32(15)


def plain(pieces: Sequence[bytes]) -> Words:
    """The CRC-32C of each piece (N,)."""
    return np.array([google_crc32c.value(piece) for piece in pieces], dtype=np.uint32)


def linear(pieces: Sequence[bytes]) -> Words:
    """The part of each piece's CRC-32C (N,) that is linear in its bytes: without the ones it begins and ends with."""
    return plain(pieces) ^ of_zeros(np.array([len(piece) for piece in pieces], dtype=np.int64))


def of_zeros(counts: Places) -> Words:
    """The CRC-32C of so many zero bytes each (N,), at most `FARTHEST`."""
    return carried(np.full(len(counts), _ALL_ONES, dtype=np.uint32), counts) ^ np.uint32(_ALL_ONES)


def carried(crcs: Words, distances: Places) -> Words:
    """Linear CRCs (N,) after so many zero bytes each (N,), at most `FARTHEST`."""
    near, far = _tables()
    return looked_up(far, distances >> 8, looked_up(near, distances & 255, crcs))


def carriers(distances: Places) -> Tables:
    """Tables (N, 4, 256) that carry CRCs over so many zero bytes each, at most `FARTHEST`."""
    near, far = _tables()
    places = [(int(distance) >> 8, int(distance) & 255) for distance in distances]
    return np.array([_applied(far[high], near[low]) for high, low in places])


def looked_up(tables: Tables, rows: Places, crcs: Words) -> Words:
    """Linear CRCs, each carried on by the table of its row; `rows` is broadcast against them."""
    flat, base = tables.ravel(), rows << 10
    found = flat.take(base + (crcs & np.uint32(255)))
    for place in (1, 2, 3):
        found ^= flat.take(base + (256 * place) + (crcs >> np.uint32(8 * place) & np.uint32(255)))
    return found


@cache
def _tables() -> tuple[Tables, Tables]:
    """What 0 … 255 zero bytes make of a CRC, and 0 … 255 times 256 zero bytes."""
    of_byte = plain([bytes([byte]) for byte in range(256)]) ^ plain([bytes(1)])
    one_byte = _identity()
    one_byte = one_byte >> np.uint32(8) ^ of_byte[one_byte & np.uint32(255)]
    near = _multiples(one_byte)
    return near, _multiples(_applied(one_byte, near[255]))


def _multiples(unit: Words) -> Tables:
    """The unit applied 0 … 255 times, doubled up."""
    tables = np.empty((256, 4, 256), dtype=np.uint32)
    tables[0], size = _identity(), 1
    while size < len(tables):
        tables[size : 2 * size] = _applied(unit, tables[:size])
        unit, size = _applied(unit, unit), 2 * size
    return tables


def _applied(unit: Words, crcs: Words) -> Words:
    """The CRCs, of any shape, after what `unit` (4, 256) stands for."""
    found: Words = unit[0][crcs & np.uint32(255)]
    for place in (1, 2, 3):
        found ^= unit[place][crcs >> np.uint32(8 * place) & np.uint32(255)]
    return found


def _identity() -> Words:
    return np.arange(256, dtype=np.uint32) << np.array([[0], [8], [16], [24]], dtype=np.uint32)
