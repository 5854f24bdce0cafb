"""Fixtures shared across test rooms: tiers, one thread a process, a private cache, full and read-only file systems."""

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.tiers import pytest_collection_modifyitems, pytest_runtest_call, pytest_runtest_protocol
from trainer.launch.queue import Queue

__all__ = ["pytest_collection_modifyitems", "pytest_runtest_call", "pytest_runtest_protocol"]


os.environ.setdefault("OMP_NUM_THREADS", "1")
"""Each core has a process of tests: more threads in each, or in what it starts, would wait for each other."""


@contextmanager
def mounted(place: Path, options: str) -> Iterator[Path]:
    """An in-memory file system at `place`; only root may mount one, so tests that need it are skipped for others."""
    if os.geteuid() != 0:
        pytest.skip("only root may mount a file system")
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(place)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"no file system can be mounted here: {done.stderr.strip()}")
    try:
        yield place
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)


@pytest.fixture(scope="session", autouse=True)
def ctrl_c_counts() -> None:
    """Restore SIGINT: tests run in the background ignore it, as do the processes they start and stop."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def english() -> Iterator[None]:
    """Tests read English, whatever language the machine speaks."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RLVITALS_LANG", "en")
        yield


@pytest.fixture(scope="session", autouse=True)
def folders_of_the_tests(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep what is done here, or in a process started here, out of the user's own cache, data and queue."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        patch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data")))
        Queue.of_user().set_slots(cpu=4, gpu=0)  # a test that fails with a training left over holds up no other
        yield


@pytest.fixture
def tiny_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 64 KiB."""
    with mounted(tmp_path / "tiny", "size=64k") as place:
        yield place


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 3 MiB: fits the model of a demo task, but not its optimizer as well."""
    with mounted(tmp_path / "small", "size=3m") as place:
        yield place


@pytest.fixture
def read_only_disk(tmp_path: Path) -> Iterator[Path]:
    """A read-only file system."""
    with mounted(tmp_path / "fixed", "size=64k,ro") as place:
        yield place
