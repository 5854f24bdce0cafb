"""Writers of logs that trackers append to in formats of their own, mostly records with checksums."""

import json
import struct
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.event_files import field, varint
from diagnostics.readers.base import Reader
from diagnostics.readers.run_directory import reader as runlog
from diagnostics.readers.tensorboard import reader as tensorboard
from diagnostics.readers.wandb import offline as wandb_offline
from diagnostics.readers.wandb import swanlab
from diagnostics.runlog import RunLog
from tests.diagnostics.readers.writers.writer import AppendingWriter, Metrics

EVENT_FILE = "events.out.tfevents.1700000000.host.4711.0"


class RunLogWriter(AppendingWriter):
    """One of our own run directories."""

    form, mark = "rlvitals", "run.json"

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path
        self._log = RunLog(path, algorithm="grpo")
        self.file = path / "events.jsonl"

    def log(self, step: int, metrics: Metrics) -> None:
        self._log.log(step, metrics)

    def reader(self) -> Reader:
        return runlog.Reader(self.path)

    def close(self) -> None:
        self._log.close()


class EventFileWriter(AppendingWriter):
    """A TensorBoard event file, written by TensorBoard's own code, one scalar per record as trainers do."""

    form, mark = "tensorboard", "events.out.tfevents.*"
    vulnerable = 14  # inside the payload

    def __init__(self, path: Path) -> None:
        from tensorboard.compat.proto.event_pb2 import Event

        super().__init__()
        path.mkdir()
        self.path = path
        self.file = path / EVENT_FILE
        self.append(Event(wall_time=1.7e9, file_version="brain.Event:2"))

    def log(self, step: int, metrics: Metrics) -> None:
        from tensorboard.compat.proto.event_pb2 import Event
        from tensorboard.compat.proto.summary_pb2 import Summary

        values = (Summary.Value(tag=tag, simple_value=value) for tag, value in metrics.items())
        self.append(*(Event(wall_time=1.7e9 + step, step=step, summary=Summary(value=[value])) for value in values))

    def append(self, *events: Any) -> None:
        """Write events, one record each."""
        from tensorboard.summary.writer.record_writer import RecordWriter

        with self.file.open("ab") as file:
            writer = RecordWriter(file)
            for event in events:
                writer.write(event.SerializeToString())

    def reader(self) -> Reader:
        return tensorboard.Reader(self.path)


class WandbWriter(AppendingWriter):
    """A `.wandb` file: W&B's own messages in LevelDB's framing, one row per record."""

    form, mark = "wandb", "run-*.wandb"
    vulnerable = 9  # inside the payload

    def __init__(self, path: Path) -> None:
        super().__init__()
        path.mkdir()
        self.path = path
        self.file = path / "run-abc.wandb"
        self.file.write_bytes(b":W&B" + struct.pack("<HB", 0xBEE1, 0))

    def log(self, step: int, metrics: Metrics) -> None:
        from wandb.proto.wandb_internal_pb2 import Record

        record = Record()
        for name, value in {"_step": step, **metrics}.items():
            record.history.item.add(nested_key=[name], value_json=json.dumps(value))
        self.append(record.SerializeToString())

    def append(self, *payloads: bytes) -> None:
        """Write records, each split if it crosses the end of a block."""
        place = self.file.stat().st_size
        with self.file.open("ab") as file:
            for payload in payloads:
                place += file.write(_framed(payload, 32768 - place % 32768))

    def reader(self) -> Reader:
        return wandb_offline.Reader(self.path)


class SwanlabWriter(WandbWriter):
    """A `.swanlab` file: SwanLab's messages in the same framing, one scalar per record."""

    form, mark = "swanlab", "run-*.swanlab"

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.file.unlink()
        self.file = path / "run-abc.swanlab"
        self.file.write_bytes(b":SWL" + struct.pack("<HB", 0xE1D6, 2))

    def log(self, step: int, metrics: Metrics) -> None:
        self.append(*map(_scalar, metrics.items(), [step] * len(metrics)))

    def reader(self) -> Reader:
        return swanlab.Reader(self.path)


def _scalar(metric: tuple[str, float], step: int) -> bytes:
    """A SwanLab record with one number, a double in its field 1."""
    name, value = metric
    scalar = field(1, name.encode()) + b"\x10" + varint(step) + field(5, b"\x09" + struct.pack("<d", value))
    return b"\x08" + varint(step) + field(13, scalar)


def _framed(payload: bytes, room: int) -> bytes:
    """A record, preceded by zeros if its block has no room for a header."""
    padding = bytes(room if room < 7 else 0)
    first = (32768 if padding else room) - 7
    parts = [payload[:first], *_split(payload[first:], 32768 - 7)]
    framed = [padding]
    for number, part in enumerate(parts):
        is_first, is_last = number == 0, number == len(parts) - 1
        kind = bytes([1 if is_first and is_last else 2 if is_first else 4 if is_last else 3])
        framed += [struct.pack("<IH", zlib.crc32(kind + part), len(part)), kind, part]
    return b"".join(framed)


def _split(payload: bytes, size: int) -> Iterable[bytes]:
    return (payload[start : start + size] for start in range(0, len(payload), size))
