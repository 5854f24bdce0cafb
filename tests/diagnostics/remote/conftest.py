"""One S3 server for the tests of what lies elsewhere, a bucket folder and a cache for each of them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.s3_store import Store, reading_from, s3_store


@pytest.fixture(scope="session")  # a client in this process keeps the address of its first server
def shared_store() -> Iterator[Store]:
    with s3_store() as store:
        yield store


@pytest.fixture
def store(shared_store: Store, tmp_path: Path) -> Iterator[Store]:
    """The server as seen by this process, with nothing asked of it yet and nothing wrong with it."""
    with reading_from(shared_store, tmp_path / "cache"):
        shared_store.asked.clear()
        yield shared_store
        shared_store.is_down, shared_store.failures, shared_store.bytes_per_second = False, 0, float("inf")
