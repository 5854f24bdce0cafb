"""How fast logs are read: ours against EventAccumulator, tbparse and TensorBoard's Rust data server, in one run.

python -m benchmarks.readers --peers PYTHON [--quick] [--output benchmarks/results/readers.md]

`--peers` is the Python of an environment with `benchmarks/readers-requirements.txt`. Every figure is the CPU time of a
process of its own from the first byte to the last array, imports left out, the median of three (slow peers: one).
All readers check every checksum. `--quick` takes a tenth of the data.
"""

import argparse
import json
import os
import platform
import resource
import struct
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from benchmarks.event_files import LAYOUTS, field, framed, regular, resumed, tags, write
from diagnostics.api import LiveRun, find_runs
from diagnostics.readers.discovery import open_readers
from diagnostics.readers.wandb_records import WandbRecords

REPEATS = 3
PEERS_SCRIPT = Path(__file__).parent / "peers" / "event_readers.py"
SLOW_PEERS = ("accumulator", "tbparse")
LISTED_RUNS = 1000
HISTORY_KEYS = 40


@dataclass(frozen=True, slots=True)
class Measured:
    """CPU seconds, and the most memory that the process held, in MiB."""

    cpu: float
    peak: float


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peers", type=Path, help="a Python with the peers; without it only ours is measured")
    parser.add_argument("--quick", action="store_true", help="a tenth of the data")
    parser.add_argument("--output", type=Path)
    parser.add_argument("--one", nargs=2, metavar=("WHAT", "FOLDER"), help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.one:
        what, folder = options.one
        sys.stdout.write(json.dumps(_OURS[what](Path(folder))) + "\n")
        return 0
    with tempfile.TemporaryDirectory() as scratch:
        os.environ["XDG_CACHE_HOME"] = str(Path(scratch) / "cache")
        report = _report(Path(scratch), options.peers, 10 if options.quick else 1)
    sys.stdout.write(report)
    if options.output:
        options.output.write_text(report)
    return 0


def _report(scratch: Path, peers: Path | None, share: int) -> str:
    lines = [
        f"CPU time and peak memory, {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}.",
        "",
        "| file | events | ours | EventAccumulator | tbparse | Rust server | × Rust | × EventAccumulator |",
        "|---|---|---|---|---|---|---|---|",
        *(_row(name, make, scratch, peers) for name, make in _workloads(share).items()),
        "",
        "| what | CPU |",
        "|---|---|",
        *_others(scratch, share),
    ]
    return "\n".join(lines) + "\n"


def _workloads(share: int) -> dict[str, Callable[[Path], object]]:
    steps = 10_000 // share
    made: dict[str, Callable[[Path], object]] = {
        name: lambda folder, layout=layout: write(folder, layout(steps))  # type: ignore[misc]
        for name, layout in LAYOUTS.items()
    }
    made["resumed"] = lambda folder: resumed(folder, steps)
    made[f"{100 // share} runs"] = lambda folder: [write(folder / str(n), regular(1000)) for n in range(100 // share)]
    made["regular, ten times as long"] = lambda folder: write(folder, regular(10 * steps))
    return made


def _row(name: str, make: Callable[[Path], object], scratch: Path, peers: Path | None) -> str:
    folder = scratch / name.replace(" ", "_")
    make(folder)
    ours = _median([_ours("read", folder) for _ in range(REPEATS)])
    is_short = sum(file.stat().st_size for file in folder.rglob("events*")) < 100 << 20
    theirs = {
        peer: _median([_peer(peers, peer, folder) for _ in range(1 if peer in SLOW_PEERS else REPEATS)])
        for peer in (*SLOW_PEERS, "rust")
        if peers and (is_short or peer == "rust")
    }
    cells = [_cell(ours), *(_cell(theirs.get(peer)) for peer in (*SLOW_PEERS, "rust"))]
    ratios = [f"{theirs[peer].cpu / ours.cpu:.1f}" if peer in theirs else "–" for peer in ("rust", "accumulator")]
    events = _ours_count(folder)
    subprocess.run(["rm", "-r", str(folder)], check=True)
    return f"| {name} | {events:,} | {' | '.join([*cells, *ratios])} |"


def _ours_count(folder: Path) -> int:
    return int(_child("count", folder)["events"])


def _others(scratch: Path, share: int) -> list[str]:
    """One more step of a growing run, a second opening, a long list of runs, and W&B's offline files."""
    long, wandb = scratch / "long", scratch / "wandb"
    write(long, regular(100_000 // share))
    wandb_file(wandb, 10_000 // share)
    runs = [write(scratch / "list" / str(number), regular(2)) for number in range(LISTED_RUNS)]
    first = _ours("open", long)
    again = _median([_ours("open", long) for _ in range(REPEATS)])
    ours, plain = (_median([_ours(what, wandb) for _ in range(REPEATS)]) for what in ("read", "wandb_plain"))
    return [
        f"| first opening of a run of {100_000 // share:,} steps, diagnosis aside | {first.cpu * 1e3:.0f} ms |",
        f"| second opening, from the cache | {again.cpu * 1e3:.1f} ms |",
        f"| one more step of 40 tags, the reader alone | {_ours('grow', long).cpu * 1e3:.2f} ms |",
        f"| one more step of 40 tags, to a new Run | {_ours('grow_run', long).cpu * 1e3:.2f} ms |",
        f"| listing {len(runs):,} runs | {_ours('list', scratch / 'list').cpu:.2f} s |",
        f"| W&B offline, {10_000 // share:,} rows of {HISTORY_KEYS} | {ours.cpu:.2f} s, {plain.cpu / ours.cpu:.1f} × "
        "as fast as a loop of wandb's protobuf and json |",
    ]


def wandb_file(folder: Path, rows: int) -> None:
    """An offline run of W&B with rows of forty numbers."""
    folder = folder / "offline-run-20260101_000000-abc"
    folder.mkdir(parents=True)
    names, content = tags(HISTORY_KEYS), bytearray(b":W&B" + struct.pack("<HB", 0xBEE1, 0))
    for row in range(rows):
        values = {"_step": row, **{name: row / (index + 3) for index, name in enumerate(names)}}
        items = (
            field(1, field(2, key.encode()) + field(16, json.dumps(value).encode())) for key, value in values.items()
        )
        _append(content, field(2, b"".join(items)))
    (folder / "run-abc.wandb").write_bytes(content)


def _append(content: bytearray, record: bytes) -> None:
    """A record in LevelDB's framing: in parts where it crosses the end of a block."""
    kind = 1
    while True:
        left = 32768 - len(content) % 32768
        if left < 7:
            content += bytes(left)
            continue
        part, record = record[: left - 7], record[left - 7 :]
        code = (1 if not record else 2) if kind == 1 else (4 if not record else 3)
        body = bytes([code]) + part
        content += struct.pack("<IH", zlib.crc32(body), len(part)) + body
        if not record:
            return
        kind = 2


def _read(folder: Path) -> dict[str, float]:
    readers = [reader for ref in find_runs(folder) for reader in open_readers(ref)]
    start = time.process_time()
    kept = [reader.refresh() for reader in readers]
    assert all(recording.tags for recording in kept)
    return _figures(start)


def _count(folder: Path) -> dict[str, float]:
    recordings = [reader.refresh() for ref in find_runs(folder) for reader in open_readers(ref)]
    return {"events": sum(len(raw.steps) for recording in recordings for raw in recording.tags.values())}


def _open(folder: Path) -> dict[str, float]:
    start = time.process_time()
    LiveRun(folder).refresh()
    return _figures(start)


def _grow(folder: Path) -> dict[str, float]:
    """The median over twenty steps."""
    (reader,) = open_readers(folder)
    return _growing(folder, reader.refresh)


def _grow_run(folder: Path) -> dict[str, float]:
    return _growing(folder, LiveRun(folder).refresh)


def _growing(folder: Path, refresh: Callable[[], object]) -> dict[str, float]:
    (file,) = folder.iterdir()
    size, costs = file.stat().st_size, list[float]()
    refresh()
    try:
        for step in range(200_000, 200_021):
            with file.open("ab") as out:
                out.write(framed(list(regular(1, step))))
            start = time.process_time()
            refresh()
            costs.append(time.process_time() - start)
    finally:
        os.truncate(file, size)
    return {"cpu": median(costs[1:]), "peak": 0.0}


def _list(folder: Path) -> dict[str, float]:
    start = time.process_time()
    assert len(find_runs(folder)) == LISTED_RUNS
    return _figures(start)


def _wandb_plain(folder: Path) -> dict[str, float]:
    """What one would write first: wandb's own messages, json for each value, lists."""
    from wandb.proto.wandb_internal_pb2 import Record

    (file,) = folder.rglob("*.wandb")
    start = time.process_time()
    columns: dict[str, list[float]] = {}
    for payload in WandbRecords(file).payloads():
        record = Record.FromString(payload)
        for item in record.history.item:
            columns.setdefault("/".join(item.nested_key) or item.key, []).append(json.loads(item.value_json))
    return _figures(start)


def _figures(start: float) -> dict[str, float]:
    cpu = time.process_time() - start
    return {"cpu": cpu, "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}


_OURS = {
    "read": _read,
    "count": _count,
    "open": _open,
    "grow": _grow,
    "grow_run": _grow_run,
    "list": _list,
    "wandb_plain": _wandb_plain,
}


def _child(what: str, folder: Path) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.readers", "--one", what, str(folder)]
    cold = {**os.environ, "XDG_CACHE_HOME": os.devnull}  # no cache: nothing is kept, nothing found
    found = subprocess.run(
        command, check=True, capture_output=True, text=True, env=os.environ if what == "open" else cold
    )
    figures: dict[str, float] = json.loads(found.stdout)
    return figures


def _ours(what: str, folder: Path) -> Measured:
    return Measured(**_child(what, folder))


def _peer(python: Path, peer: str, folder: Path) -> Measured:
    command = [str(python), str(PEERS_SCRIPT), peer, str(folder)]
    return Measured(**json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout))


def _median(found: Sequence[Measured]) -> Measured:
    return Measured(median(one.cpu for one in found), median(one.peak for one in found))


def _cell(measured: Measured | None) -> str:
    return "–" if measured is None else f"{measured.cpu:.3f} s, {measured.peak:.0f} MiB"


if __name__ == "__main__":
    sys.exit(main())
