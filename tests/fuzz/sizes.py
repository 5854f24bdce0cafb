"""Damage by size: sparse files, huge lines, many lines, rows, columns, files and bins, and deep nesting."""

import json
import os
import random
import struct
from collections.abc import Callable
from pathlib import Path

import pyarrow
import pyarrow.parquet

from benchmarks.event_files import field
from tests.diagnostics.readers.writers.trackers import EventFileWriter, WandbWriter
from tests.fuzz.damage import Damage, Damaged, files_of

SPARSE_BYTES = tuple(1 << power for power in range(30, 41, 2))
LINE_BYTES = 50 << 20
LINES = (1_000, 20_000, 200_000)
NESTED = (100, 5_000, 1_000_000)
ROWS = (100_000, 2_000_000, 20_000_000)
FILES = (2_000, 20_000)
BINS = (10_000, 1_000_000)
COLUMNS = (1_000, 100_000)
_PIECE = 1 << 20
_TEXT = (".json", ".jsonl", ".yaml", ".yml", ".csv", ".txt", ".log", ".out", ".ipynb")


def sparse(draw: random.Random, folder: Path) -> Damaged:
    """A file grows to gigabytes or a terabyte that no block of the disk holds."""
    file, size = draw.choice(files_of(folder)), draw.choice(SPARSE_BYTES)
    os.truncate(file, size)
    return Damaged(folder, f"{file.relative_to(folder)} of {size >> 30} GiB, sparse")


def one_line(draw: random.Random, folder: Path) -> Damaged:
    """One line of 50 MiB at the end or the beginning of a text, with or without its line break."""
    files = files_of(folder, *_TEXT)
    if not files:
        return sparse(draw, folder)
    file = draw.choice(files)
    before, after = draw.choice(
        ((b'{"step": 3, "pad": "', b'", "reward": 1.0}\n'), (b"step: 3 - ", b"\n"), (b'"', b""))
    )
    content = file.read_bytes()
    is_first = draw.random() < 0.5
    with file.open("wb") as text:
        text.write(b"" if is_first else content)
        text.write(before)
        for _ in range(LINE_BYTES // _PIECE):
            text.write(b"x" * _PIECE)
        text.write(after + (content if is_first else b""))
    return Damaged(folder, f"a line of 50 MiB in {file.relative_to(folder)}")


def many_lines(draw: random.Random, folder: Path) -> Damaged:
    """The lines of a text again and again, up to 200,000 of them."""
    files = files_of(folder, *_TEXT)
    if not files:
        return sparse(draw, folder)
    file, count = draw.choice(files), draw.choice(LINES)
    content = file.read_bytes()
    rounds = min(count // (content.count(b"\n") + 1) + 1, (LINE_BYTES // len(content)) + 1)
    with file.open("ab") as text:
        for _ in range(rounds):
            text.write(content)
    return Damaged(folder, f"{rounds} times the content of {file.relative_to(folder)}")


def nesting(draw: random.Random, folder: Path) -> Damaged:
    """A text of nothing but open brackets, alone or after what a reader expects."""
    files = files_of(folder, *_TEXT)
    if not files:
        return sparse(draw, folder)
    file, depth = draw.choice(files), draw.choice(NESTED)
    opening, closing = draw.choice((("[", "]"), ('{"a":', "}"), ("{a: ", "}"), ("- ", "")))
    close = closing * depth if draw.random() < 0.5 else ""
    start = draw.choice(("", '{"step": 1, "a": ', "a: "))
    content = file.read_text("utf-8", "replace") if draw.random() < 0.5 else ""
    file.write_text(f"{content}{start}{opening * depth}1{close}\n", "utf-8", "replace")
    return Damaged(folder, f"{depth:,} times {opening.strip()!r} in {file.relative_to(folder)}")


def parquet_rows(draw: random.Random, folder: Path) -> Damaged:
    """A small parquet file that declares millions of rows."""
    count = draw.choice(ROWS)
    name = draw.choice(("rollouts.parquet", "metrics.parquet", "completions/completions_00001.parquet"))
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    group = pyarrow.table(
        {
            "step": pyarrow.repeat(1, 100_000),
            "reward": pyarrow.repeat(0.5, 100_000),
            **({} if name.startswith("metrics") else {name: ["q"] * 100_000 for name in ("prompt", "completion")}),
        }
    )
    with pyarrow.parquet.ParquetWriter(file, group.schema, compression="zstd") as writer:
        for _ in range(count // 100_000):
            writer.write_table(group)
    return Damaged(folder, f"{count:,} rows in {name}")


def many_files(draw: random.Random, folder: Path) -> Damaged:
    """Thousands of names for one of the run's files, all in one folder."""
    file, count = draw.choice(files_of(folder)), draw.choice(FILES)
    for number in range(count):
        os.link(file, file.with_name(f"{file.stem}-{number}{file.suffix}"))
    return Damaged(folder, f"{count:,} names of {file.relative_to(folder)}")


def wide(draw: random.Random, folder: Path) -> Damaged:
    """A row with thousands of names."""
    count = draw.choice(COLUMNS)
    (folder / "wide").mkdir()
    if draw.random() < 0.5:
        row = {"step": 1, **{f"name/{number}": 0.5 for number in range(count)}}
        (folder / "wide" / "metrics.jsonl").write_text((json.dumps(row) + "\n") * 2)
    else:
        names = ",".join(f"n{number}" for number in range(count))
        (folder / "wide" / "log.csv").write_text(f"step,{names}\n" + ("1" + ",2" * count + "\n") * 2)
    return Damaged(folder, f"a row of {count:,} names")


def histogram(draw: random.Random, folder: Path) -> Damaged:
    """A histogram of a million bins, or one that only declares its bins."""
    count = draw.choice(BINS)
    kind = draw.choice(list(_HISTOGRAMS))
    _HISTOGRAMS[kind](folder / f"huge-{kind}", count)
    return Damaged(folder, f"a histogram of {count:,} bins in {kind}")


def _of_run_log(place: Path, count: int) -> None:
    place.mkdir()
    (place / "run.json").write_text('{"schema_version": 1, "run_id": "a", "name": "a", "algorithm": "grpo"}')
    bins = json.dumps({"edges": list(range(count + 1)), "counts": [1] * count})
    (place / "events.jsonl").write_text(f'{{"step": 1, "metrics": {{}}, "histograms": {{"a": {bins}}}}}\n')


def _of_event_file(place: Path, count: int) -> None:
    writer = EventFileWriter(place)
    limits, held = (struct.pack(f"<{count}d", *values) for values in (range(count), [1.0] * count))
    summary = field(5, field(1, field(1, b"h") + field(5, field(6, limits) + field(7, held))))

    class _Event:
        def SerializeToString(self) -> bytes:
            return b"\x09" + struct.pack("<d", 1.7e9) + b"\x10\x01" + summary

    writer.append(_Event())


def _of_wandb(place: Path, count: int) -> None:
    writer = WandbWriter(place.with_name("offline-run-20260101_000000-huge"))
    packed = {"_type": "histogram", "values": [1], "packedBins": {"min": 0, "size": 1, "count": count * 1_000}}
    writer.append(_history({"_step": 1, "h": packed}))


def _history(row: dict[str, object]) -> bytes:
    items = (field(1, field(2, key.encode()) + field(16, json.dumps(value).encode())) for key, value in row.items())
    return field(2, b"".join(items))


_HISTOGRAMS: dict[str, Callable[[Path, int], None]] = {
    "run-log": _of_run_log,
    "event-file": _of_event_file,
    "wandb": _of_wandb,
}

SIZES: tuple[Damage, ...] = (
    *(sparse, sparse, one_line, many_lines, nesting, nesting),
    *(parquet_rows, many_files, wide, histogram, histogram),
)
