"""Tests of the algebra of checksums: carrying a CRC over bytes is the same as reading them."""

import google_crc32c
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from diagnostics.readers.tensorboard.decode.crc import (
    FARTHEST,
    advance_crcs,
    advance_tables,
    as_stored,
    crcs_of,
    linear_crcs_of,
    looked_up,
    masked_crc,
    unmasked_crcs,
)

DISTANCES = st.integers(0, FARTHEST)


@given(st.binary(max_size=50), st.binary(max_size=50), DISTANCES, DISTANCES)
def test_a_carried_crc_is_that_of_the_bytes_and_zeros(one: bytes, other: bytes, near: int, far: int) -> None:
    distances = np.array([near, far])

    found = advance_crcs(linear_crcs_of([one, other]), distances)

    assert linear_crcs_of([one + bytes(near), other + bytes(far)]).tolist() == found.tolist()
    assert found.tolist() == looked_up(advance_tables(distances), np.arange(2), linear_crcs_of([one, other])).tolist()


@given(st.binary(min_size=9, max_size=9), st.binary(min_size=9, max_size=9))
def test_a_linear_crc_of_an_exclusive_or_is_that_of_the_crcs(one: bytes, other: bytes) -> None:
    both = bytes(a ^ b for a, b in zip(one, other, strict=True))

    first, second, found = linear_crcs_of([one, other, both]).tolist()

    assert first ^ second == found


@given(st.binary(max_size=100))
def test_a_crc_survives_being_stored(data: bytes) -> None:
    crcs = crcs_of([data])

    assert [google_crc32c.value(data)] == crcs.tolist()
    assert [masked_crc(data)] == as_stored(crcs).tolist()
    assert crcs.tolist() == unmasked_crcs(as_stored(crcs)).tolist()
