"""Tests of the cache: what it holds is what the files hold, and without it nothing is missing."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.event_files import LAYOUTS, event, framed, scalar, write
from diagnostics.readers import cache
from diagnostics.readers.tensorboard import Reader

Content = dict[str, tuple[bytes, bytes, bytes]]


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of the test's own, for logs of any size."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(cache, "SMALLEST_LOG_BYTES", 0)
    return tmp_path / "cache" / "rlvitals" / "logs"


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A finished run with numbers and histograms."""
    return write(tmp_path / "run", LAYOUTS["histograms"](60))


def content(recording: Any) -> Content:
    return {
        tag: (raw.steps.tobytes(), raw.values.tobytes(), raw.times.tobytes()) for tag, raw in recording.tags.items()
    }


def bins(recording: Any) -> dict[str, list[tuple[int, list[float], list[float]]]]:
    return {
        tag: [
            (step, one.edges.tolist(), one.counts.tolist()) for step, one in zip(found.steps, found.bins, strict=True)
        ]
        for tag, found in recording.histograms.items()
    }


def facts(recording: Any) -> tuple[Any, ...]:
    names = ("path", "sources", "run_id", "name", "config", "text", "status", "created", "malformed", "notes")
    return tuple(getattr(recording, name) for name in names)


def test_a_second_opening_gives_the_same_without_reading_the_log(log: Path, own_folder: Path) -> None:
    first = Reader(log.parent).refresh()
    assert len(list(own_folder.iterdir())) == 1
    kept, identity = log.read_bytes(), log.stat()
    log.write_bytes(bytes(len(kept)))  # nothing left to read, and nothing to tell it by
    os.utime(log, ns=(identity.st_atime_ns, identity.st_mtime_ns))

    reader = Reader(log.parent)
    second = reader.refresh()

    assert (content(first), bins(first), facts(first)) == (content(second), bins(second), facts(second))
    assert reader.refresh() is second


def grow(log: Path) -> None:
    with log.open("ab") as file:
        file.write(framed([event(1000, 1.7e9, scalar("new", 1.0))]))


def replace(log: Path) -> None:
    log.unlink()
    write(log.parent, [event(1000, 1.7e9, scalar("new", 1.0))])


@pytest.mark.parametrize("change", [grow, replace])
def test_a_changed_log_is_read_again(log: Path, change: Callable[[Path], None]) -> None:
    Reader(log.parent).refresh()
    reader = Reader(log.parent)
    reader.refresh()
    change(log)

    assert "new" in reader.refresh().tags
    assert "new" in Reader(log.parent).refresh().tags


def test_a_run_that_still_writes_is_not_kept(tmp_path: Path, own_folder: Path) -> None:
    write(tmp_path / "run", [event(1, 9e9, scalar("a", 1.0))])

    Reader(tmp_path / "run").refresh()

    assert not own_folder.exists()


@pytest.mark.parametrize("damage", [b"", b"{}\n", b"\xff" * 100, b'{"schema": 1}\n'])
def test_a_damaged_entry_is_as_none(log: Path, own_folder: Path, damage: bytes) -> None:
    first = Reader(log.parent).refresh()
    (entry,) = own_folder.iterdir()
    entry.write_bytes(damage)

    assert content(first) == content(Reader(log.parent).refresh())


def test_a_torn_entry_is_as_none(log: Path, own_folder: Path) -> None:
    first = Reader(log.parent).refresh()
    (entry,) = own_folder.iterdir()
    entry.write_bytes(entry.read_bytes()[: entry.stat().st_size // 2])

    assert content(first) == content(Reader(log.parent).refresh())


def test_without_a_place_to_write_logs_are_read(log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))

    assert len(Reader(log.parent).refresh().tags) == 40


def test_the_least_recently_used_entries_make_room(
    tmp_path: Path, own_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "LARGEST_CACHE_BYTES", 3000)
    for number in range(4):
        file = tmp_path / str(number)
        file.write_bytes(b"log")
        cache.save([file], cache.Entry({}, (np.zeros(150),)))
        for entry in own_folder.iterdir():
            os.utime(entry, (entry.stat().st_atime, entry.stat().st_mtime - 10))

    assert cache.load([tmp_path / "3"]) is not None
    assert cache.load([tmp_path / "0"]) is None
    assert sum(entry.stat().st_size for entry in own_folder.iterdir()) <= 3000
