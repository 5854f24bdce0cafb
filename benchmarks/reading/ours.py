"""Reads a log once with our readers, in its own process; prints CPU, memory and the number of events as JSON.

python -m benchmarks.reading.ours WHAT FOLDER

The clock starts after imports and after the folder search, as it does for the other readers.
"""

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from benchmarks.event_files import framed, regular
from benchmarks.peers.event_readers import peak_of
from diagnostics.api import LiveRun, find_runs
from diagnostics.readers.discovery import open_readers
from diagnostics.readers.wandb.records import WandbRecords

_FAR_STEP = 200_000  # after the last step of every file
_NEW_STEPS = 20

Figures = dict[str, float]


def read(folder: Path) -> Figures:
    """Every run in a folder, as arrays."""
    readers = [reader for ref in find_runs(folder) for reader in open_readers(ref)]
    start = time.process_time()
    kept = [reader.refresh() for reader in readers]
    return figures(start) | {"events": sum(len(raw.steps) for recording in kept for raw in recording.tags.values())}


def open_(folder: Path) -> Figures:
    """One run, from its path to canonical names and units."""
    start = time.process_time()
    LiveRun(folder).refresh()
    return figures(start)


def grow(folder: Path) -> Figures:
    """Append one step of forty tags and read it into arrays."""
    (reader,) = open_readers(folder)
    return _growing(folder, reader.refresh)


def grow_run(folder: Path) -> Figures:
    """Append one step of forty tags and read it into a run."""
    return _growing(folder, LiveRun(folder).refresh)


def _growing(folder: Path, refresh: Callable[[], object]) -> Figures:
    (file,) = folder.iterdir()
    size, costs = file.stat().st_size, list[float]()
    refresh()
    try:
        for step in range(_FAR_STEP, _FAR_STEP + _NEW_STEPS + 1):
            with file.open("ab") as out:
                out.write(framed(list(regular(1, step))))
            start = time.process_time()
            refresh()
            costs.append(time.process_time() - start)
    finally:
        os.truncate(file, size)
    return figures(start) | {"cpu": median(costs[1:])}


def list_(folder: Path) -> Figures:
    """List the runs below a folder without reading any."""
    start = time.process_time()
    found = find_runs(folder)
    return figures(start) | {"events": len(found)}


def wandb_loop(folder: Path) -> Figures:
    """A naive reader of W&B's offline file: wandb's own messages, json for each value, lists."""
    from wandb.proto.wandb_internal_pb2 import Record

    (file,) = folder.rglob("*.wandb")
    start = time.process_time()
    columns: dict[str, list[float]] = {}
    for payload in WandbRecords(file).payloads():
        record = Record.FromString(payload)
        for item in record.history.item:
            columns.setdefault("/".join(item.nested_key) or item.key, []).append(json.loads(item.value_json))
    return figures(start)


def figures(start: float) -> Figures:
    """CPU seconds since the start, and peak memory (MiB)."""
    cpu = time.process_time() - start
    return {"cpu": cpu, "peak": peak_of("self")}


WAYS: dict[str, Callable[[Path], Figures]] = {
    "read": read,
    "open": open_,
    "grow": grow,
    "grow_run": grow_run,
    "list": list_,
    "wandb_loop": wandb_loop,
}

if __name__ == "__main__":
    sys.stdout.write(json.dumps(WAYS[sys.argv[1]](Path(sys.argv[2]))) + "\n")
