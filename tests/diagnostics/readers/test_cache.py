"""Tests of the cache: it matches the files, whatever the format, and nothing is missing without it."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.event_files import LAYOUTS, event, framed, scalar, write
from diagnostics.model.histograms import Histogram
from diagnostics.model.recording import Recording
from diagnostics.readers import cache
from diagnostics.readers.base import RunRef
from diagnostics.readers.cached_reader import CachedReader
from diagnostics.readers.discovery import find, open_readers
from diagnostics.runlog import RunLog

ROOT = Path(__file__).parents[3]
REAL = (ROOT / "tests" / "fixtures", ROOT / "sample_runs")
OPEN_ALL = """
import hashlib, sys
from pathlib import Path
from diagnostics.readers import cache
from diagnostics.readers.discovery import find, open_readers
cache.SMALLEST_LOG_BYTES, cache.LARGEST_CACHE_BYTES = 0, 200_000
digests = set()
for _ in range(15):
    digest = hashlib.sha256()
    for ref in find(Path(sys.argv[1])):
        for reader in open_readers(ref):
            for tag, raw in sorted(reader.refresh().tags.items()):
                digest.update(tag.encode() + raw.steps.tobytes() + raw.values.tobytes() + raw.times.tobytes())
    digests.add(digest.hexdigest())
print(*digests)
"""


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


def read_through_cache(ref: RunRef | Path) -> list[Recording]:
    return [reader.refresh() for reader in open_readers(ref)]


def comparable_content(recording: Recording) -> dict[str, Any]:
    """Everything that a recording holds, samples aside, in a form that can be compared."""
    found = {item.name: getattr(recording, item.name) for item in fields(recording) if item.name != "samples"}
    tags = {
        tag: [array.tobytes() for array in (raw.steps, raw.values, raw.times)] for tag, raw in found["tags"].items()
    }
    histograms = {
        tag: (found.name, found.steps.tolist(), [_plain(bins) for bins in found.bins])
        for tag, found in recording.histograms.items()
    }
    order = list(recording.tags), list(recording.config), list(recording.text)
    return {**found, "tags": tags, "histograms": histograms, "config": json.dumps(found["config"]), "order": order}


def _plain(bins: Histogram) -> dict[str, Any]:
    return asdict(bins) | {"edges": bins.edges.tolist(), "counts": bins.counts.tolist()}


def samples(recording: Recording) -> tuple[Any, ...]:
    found = recording.samples
    return found.steps, found.followed_steps, repr([found.at(step) for step in found.steps])


def copied(root: Path, folder: Path) -> Path:
    """A copy that has not been written to for a long time: a log that may still grow is not cached."""
    shutil.copytree(root, folder)
    for file in folder.rglob("*"):
        os.utime(file, (1e9, 1e9))
    return folder


def replace_with_zeros(file: Path) -> None:
    """Leave nothing in a file to read, and nothing to tell it by."""
    before = file.stat()
    with file.open("r+b") as out:
        out.write(bytes(before.st_size))
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


@pytest.mark.parametrize("root", REAL, ids=["of-other-trainers", "of-the-bundled-trainer"])
def test_a_second_opening_of_a_real_run_gives_the_same(root: Path, tmp_path: Path, own_folder: Path) -> None:
    runs = find(copied(root, tmp_path / "runs"))
    first = [recording for ref in runs for recording in read_through_cache(ref)]
    second = [recording for ref in runs for recording in read_through_cache(ref)]

    kept = [reader for ref in runs for reader in open_readers(ref) if isinstance(reader, CachedReader)]
    assert len(kept) == len(list(own_folder.iterdir()))
    assert list(map(comparable_content, first)) == list(map(comparable_content, second))
    assert list(map(samples, first)) == list(map(samples, second))


@pytest.mark.parametrize("root", REAL, ids=["of-other-trainers", "of-the-bundled-trainer"])
def test_a_second_opening_does_not_read_the_log(root: Path, tmp_path: Path) -> None:
    runs = find(copied(root, tmp_path / "runs"))
    first = [comparable_content(recording) for ref in runs for recording in read_through_cache(ref)]
    for pattern in ("events.out.tfevents*", "*.wandb", "*.db", "events.jsonl", "samples.jsonl"):
        for file in (tmp_path / "runs").rglob(pattern):
            replace_with_zeros(file)

    assert first == [comparable_content(recording) for ref in runs for recording in read_through_cache(ref)]


def rows(folder: Path) -> Path:
    file = folder / "metrics.jsonl"
    file.write_text("".join(json.dumps({"step": step, "loss": 1 / step}) + "\n" for step in range(1, 50)))
    os.utime(file, (1e9, 1e9))  # or it would still be written to
    return file


def sampled(folder: Path) -> Path:
    file = folder / "rollouts.jsonl"
    lines = [{"step": step, "prompt": "q", "completion": "r" * step, "reward": 1.0} for step in (1, 1, 2, 3)]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return file


def named_histograms(folder: Path) -> Path:
    with RunLog(folder / "run", algorithm="ppo", config={"clip": float("nan")}) as run:
        bins = {"edges": [0.0, 1.0, 2.0], "counts": [1, 2], "nan": 3, "inf": 4, "-inf": 5}
        run.log(1, {"loss": float("-inf")}, histograms={"env/reward_dist": bins})
    return folder / "run" / "events.jsonl"


@pytest.mark.parametrize("make", [rows, sampled, named_histograms])
def test_other_logs_are_kept_as_well(make: Callable[[Path], Path], tmp_path: Path, own_folder: Path) -> None:
    file = make(tmp_path)
    (ref,) = find(tmp_path)
    (first,) = read_through_cache(ref)
    expected = comparable_content(first), samples(first)

    (second,) = read_through_cache(ref)

    assert len(list(own_folder.iterdir())) == 1
    assert expected == (comparable_content(second), samples(second))
    replace_with_zeros(file)
    assert expected[0] == comparable_content(read_through_cache(ref)[0])


def test_what_is_kept_is_told_once(log: Path) -> None:
    read_through_cache(log.parent)
    (reader,) = open_readers(log.parent)

    assert reader.refresh() is reader.refresh()


def grow(log: Path) -> None:
    with log.open("ab") as file:
        file.write(framed([event(1000, 1.7e9, scalar("new", 1.0))]))


def replace(log: Path) -> None:
    log.unlink()
    write(log.parent, [event(1000, 1.7e9, scalar("new", 1.0))])


def add_sub_run(log: Path) -> None:
    write(log.parent / "new_one", [event(1000, 1.7e9, scalar("new", 1.0))])


def add_file(log: Path) -> None:
    later = write(log.parent / "later", [event(1000, 1.7e9, scalar("new", 1.0))])
    later.rename(log.with_name("events.out.tfevents.1800000000.host.4712.0"))
    later.parent.rmdir()


@pytest.mark.parametrize("change", [grow, replace, add_sub_run, add_file])
def test_a_changed_log_is_read_again(log: Path, change: Callable[[Path], None]) -> None:
    read_through_cache(log.parent)
    (reader,) = open_readers(log.parent)
    reader.refresh()
    change(log)

    assert any(tag.startswith("new") for tag in reader.refresh().tags)
    assert any(tag.startswith("new") for tag in read_through_cache(log.parent)[0].tags)


def test_a_model_card_that_comes_later_is_seen(log: Path) -> None:
    read_through_cache(log.parent)
    (log.parent / "README.md").write_text("- trl: 1.12.0\n")

    assert "1.12.0" in read_through_cache(log.parent)[0].text["README.md"]


def test_a_run_that_still_writes_is_not_kept(tmp_path: Path, own_folder: Path) -> None:
    write(tmp_path / "run", [event(1, 9e9, scalar("a", 1.0))])

    read_through_cache(tmp_path / "run")

    assert not own_folder.exists()


@pytest.mark.parametrize("damage", [b"", b"{}\n", b"\xff" * 100, b'{"schema": 1}\n'])
def test_a_damaged_entry_is_as_none(log: Path, own_folder: Path, damage: bytes) -> None:
    (first,) = read_through_cache(log.parent)
    (entry,) = own_folder.iterdir()
    entry.write_bytes(damage)

    assert comparable_content(first) == comparable_content(read_through_cache(log.parent)[0])


@pytest.mark.parametrize("share", [0.01, 0.1, 0.5, 0.99])
def test_a_torn_entry_is_as_none(log: Path, own_folder: Path, share: float) -> None:
    expected = comparable_content(read_through_cache(log.parent)[0])
    (entry,) = own_folder.iterdir()
    entry.write_bytes(entry.read_bytes()[: int(entry.stat().st_size * share)])

    assert expected == comparable_content(read_through_cache(log.parent)[0])


def test_an_entry_that_was_read_from_other_code_is_as_none(log: Path, own_folder: Path) -> None:
    expected = comparable_content(read_through_cache(log.parent)[0])
    (entry,) = own_folder.iterdir()
    header, rest = entry.read_bytes().split(b"\n", 1)
    entry.write_bytes(json.dumps(json.loads(header) | {"schema": [0, ""]}).encode() + b"\n" + rest)
    replace_with_zeros(log)

    with pytest.raises(Exception, match="no readable record"):
        read_through_cache(log.parent)
    assert expected["tags"]


def test_without_a_place_to_write_logs_are_read(log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))

    assert len(read_through_cache(log.parent)[0].tags) == 40


def test_on_a_disk_that_can_be_read_only_logs_are_read(
    log: Path, read_only_disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(read_only_disk))

    assert [len(read_through_cache(log.parent)[0].tags) for _ in range(2)] == [40, 40]


def test_deleting_the_cache_loses_nothing(log: Path, own_folder: Path) -> None:
    expected = comparable_content(read_through_cache(log.parent)[0])
    (reader,) = open_readers(log.parent)
    kept = reader.refresh()
    shutil.rmtree(own_folder)

    assert (
        expected
        == comparable_content(kept)
        == comparable_content(reader.refresh())
        == comparable_content(read_through_cache(log.parent)[0])
    )


@pytest.mark.process
def test_several_processes_that_fill_and_empty_the_cache_at_once_all_read_the_same(own_folder: Path) -> None:
    command = [sys.executable, "-c", OPEN_ALL, str(REAL[0])]
    started = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) for _ in range(3)]

    digests = {process.communicate(timeout=120)[0] for process in started}

    assert [process.returncode for process in started] == [0, 0, 0]
    assert len(digests) == 1
    assert len(digests.pop().split()) == 1
    assert sum(entry.stat().st_size for entry in own_folder.iterdir()) <= 3 * 200_000


def test_the_least_recently_used_entries_make_room(own_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "LARGEST_CACHE_BYTES", 3200)
    for number in range(4):
        cache.save(str(number), [], cache.Entry("{}", (np.zeros(150),)))
        for entry in own_folder.iterdir():
            os.utime(entry, (entry.stat().st_atime, entry.stat().st_mtime - 10))

    assert cache.load("3", []) is not None
    assert cache.load("0", []) is None
    assert sum(entry.stat().st_size for entry in own_folder.iterdir()) <= 3200
