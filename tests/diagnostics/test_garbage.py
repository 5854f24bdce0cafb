"""Tests of memory: what is free is given back, also from between what is kept."""

import ctypes

import psutil
import pytest

from diagnostics.garbage import give_back

MIB = 1 << 20


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "malloc_trim"), reason="needs glibc")
def test_the_holes_between_what_is_kept_are_given_back() -> None:
    process = psutil.Process()
    blocks = [bytearray(16_384) for _ in range(8_000)]  # 125 MiB
    kept = blocks[::100]
    del blocks
    before = process.memory_info().rss
    give_back()
    assert before - process.memory_info().rss > 60 * MIB
    assert len(kept) == 80
