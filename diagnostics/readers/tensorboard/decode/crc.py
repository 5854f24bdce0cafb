"""CRC-32C over many records at once, verified against their stored checksums in one pass.

A CRC is linear over GF(2). The CRC of a stretch follows from those of its parts, each advanced over the bytes after it,
so the checksums stored in N records predict the CRC of all their bytes, and one pass in C verifies them. This is as
strong as checking each record: an error goes undetected with probability 2⁻³².
"""

from collections.abc import Sequence
from functools import cache

import google_crc32c
import numpy as np
import numpy.typing as npt

Words = npt.NDArray[np.uint32]
Places = npt.NDArray[np.int64]
Tables = npt.NDArray[np.uint32]  # (N, 4, 256): how far, which byte of the CRC, that byte's value

FARTHEST = (1 << 16) - 1  # the most bytes that `advance_crcs` can advance over
_ALL_ONES = 0xFFFFFFFF  # the initial and final XOR of a CRC-32C
_MASK = 0xA282EAD8
_BITS: Words = np.uint32(1) << np.arange(32, dtype=np.uint32)
_DIGITS = 6, 5, 5  # bits of a distance: few tables, because untouched memory is slow
_ONLY: Places = np.array(0)


def masked_crc(data: bytes) -> int:
    """The CRC-32C of one piece, rotated and offset as event files store it."""
    crc: int = google_crc32c.value(data)
    return ((crc >> 15 | crc << 17) + _MASK) & _ALL_ONES


def as_stored(crcs: Words) -> Words:
    """CRC-32Cs as event files store them."""
    return (crcs >> np.uint32(15) | crcs << np.uint32(17)) + np.uint32(_MASK)


def unmasked_crcs(stored: Words) -> Words:
    """The CRC-32Cs behind stored checksums."""
    rotated = stored - np.uint32(_MASK)
    return rotated >> np.uint32(17) | rotated << np.uint32(15)


def crcs_of(pieces: Sequence[bytes]) -> Words:
    """The CRC-32C of each piece (N,)."""
    return np.array([google_crc32c.value(piece) for piece in pieces], dtype=np.uint32)


def linear_crcs_of(pieces: Sequence[bytes]) -> Words:
    """The part of each piece's CRC-32C (N,) that is linear in its bytes, without the initial and final XOR."""
    found = np.array([google_crc32c.extend(_ALL_ONES, piece) for piece in pieces], dtype=np.uint32)
    return found ^ np.uint32(_ALL_ONES)


def advance_crcs(crcs: Words, distances: Places) -> Words:
    """Linear CRCs (N,) advanced over this many zero bytes each (N,), at most `FARTHEST`."""
    for bits, tables in zip(_DIGITS, _tables(), strict=True):
        crcs = looked_up(tables, distances & (1 << bits) - 1, crcs)
        distances = distances >> bits
    return crcs


def advance_tables(distances: Places) -> Tables:
    """Tables (N, 4, 256) that advance CRCs over this many zero bytes each, at most `FARTHEST`."""
    bits = np.broadcast_to(_BITS, (len(distances), len(_BITS)))
    return _as_tables(advance_crcs(bits, distances[:, None]))


def looked_up(tables: Tables, rows: Places, crcs: Words) -> Words:
    """Linear CRCs, each advanced by the table of its row; `rows` is broadcast against them."""
    flat, base = tables.ravel(), rows << 10
    found = flat.take(base + (crcs & np.uint32(255)))
    for place in (1, 2, 3):
        found ^= flat.take(base + (256 * place) + (crcs >> np.uint32(8 * place) & np.uint32(255)))
    return found


@cache
def _tables() -> tuple[Tables, ...]:
    """What a number of zero bytes does to a CRC, by each digit of that number, the lowest first."""
    of_byte = crcs_of([bytes([byte]) for byte in range(256)]) ^ crcs_of([bytes(1)])
    unit: Words = _BITS >> np.uint32(8) ^ of_byte[_BITS & np.uint32(255)]
    found: list[Tables] = []
    for bits in _DIGITS:
        powers = np.empty((1 << bits, len(_BITS)), dtype=np.uint32)  # the effect of 0, 1, 2 … units on each bit
        powers[0] = _BITS
        for size in (1 << bit for bit in range(bits)):
            table = _as_tables(unit[None])
            powers[size : 2 * size] = looked_up(table, _ONLY, powers[:size])
            unit = looked_up(table, _ONLY, unit)
        found.append(_as_tables(powers))
    return tuple(found)


def _as_tables(bits: Words) -> Tables:
    """Linear operators as tables (N, 4, 256), from their effect on single bits: (N, 32)."""
    tables = np.zeros((len(bits), 4, 256), dtype=np.uint32)
    of_bytes = bits.reshape(len(bits), 4, 8)
    for bit in range(8):
        size = 1 << bit
        tables[:, :, size : 2 * size] = tables[:, :, :size] ^ of_bytes[:, :, bit : bit + 1]
    return tables
