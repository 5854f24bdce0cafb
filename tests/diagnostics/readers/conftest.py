"""The formats under conformance test: each one writes a growing run in its own way."""

import json
import struct
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from diagnostics.readers import Reader, metric_tables, runlog, tensorboard, wandb_offline
from diagnostics.runlog import RunLog

EVENT_FILE = "events.out.tfevents.1700000000.host.4711.0"


class RunLogWriter:
    """Our own run directory."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.log = RunLog(path, algorithm="grpo")
        self.file = path / "events.jsonl"

    def write(self, step: int, metrics: Mapping[str, float]) -> None:
        self.log.log(step, metrics)

    def corrupt(self, content: bytes, start: int) -> bytes:
        """The content with its record at `start` made unreadable."""
        return content[:start] + b"x" + content[start + 1 :]

    def reader(self) -> Reader:
        return runlog.Reader(self.path)

    def close(self) -> None:
        self.log.close()


class EventFileWriter:
    """A TensorBoard event file, written by TensorBoard's own code, one scalar per record as trainers do."""

    def __init__(self, path: Path) -> None:
        from tensorboard.compat.proto.event_pb2 import Event

        path.mkdir()
        self.path = path
        self.file = path / EVENT_FILE
        self.append(Event(wall_time=1.7e9, file_version="brain.Event:2"))

    def write(self, step: int, metrics: Mapping[str, float]) -> None:
        from tensorboard.compat.proto.event_pb2 import Event
        from tensorboard.compat.proto.summary_pb2 import Summary

        for tag, value in metrics.items():
            summary = Summary(value=[Summary.Value(tag=tag, simple_value=value)])
            self.append(Event(wall_time=1.7e9 + step, step=step, summary=summary))

    def append(self, event: Any) -> None:
        from tensorboard.summary.writer.record_writer import RecordWriter

        with self.file.open("ab") as file:
            RecordWriter(file).write(event.SerializeToString())

    def corrupt(self, content: bytes, start: int) -> bytes:
        inside_payload = start + 14
        return content[:inside_payload] + bytes([content[inside_payload] ^ 0x55]) + content[inside_payload + 1 :]

    def reader(self) -> Reader:
        return tensorboard.Reader(self.path)

    def close(self) -> None:
        """Nothing is open between writes."""


class WandbWriter:
    """A `.wandb` file: W&B's own messages in LevelDB's framing, one row per record."""

    def __init__(self, path: Path) -> None:
        path.mkdir()
        self.path = path
        self.file = path / "run-abc.wandb"
        self.file.write_bytes(b":W&B" + struct.pack("<HB", 0xBEE1, 0))

    def write(self, step: int, metrics: Mapping[str, float]) -> None:
        from wandb.proto.wandb_internal_pb2 import Record

        record = Record()
        for name, value in {"_step": step, **metrics}.items():
            record.history.item.add(nested_key=[name], value_json=json.dumps(value))
        self.append(record.SerializeToString())

    def append(self, payload: bytes) -> None:
        """Write one record, in parts where it crosses the end of a block."""
        framed, room = b"", 32768 - self.file.stat().st_size % 32768
        if room < 7:
            framed, room = bytes(room), 32768
        parts = [payload[: room - 7], *_split(payload[room - 7 :], 32768 - 7)]
        for number, part in enumerate(parts):
            is_first, is_last = number == 0, number == len(parts) - 1
            kind = bytes([1 if is_first and is_last else 2 if is_first else 4 if is_last else 3])
            framed += struct.pack("<IH", zlib.crc32(kind + part), len(part)) + kind + part
        with self.file.open("ab") as file:
            file.write(framed)

    def corrupt(self, content: bytes, start: int) -> bytes:
        inside_payload = start + 9
        return content[:inside_payload] + bytes([content[inside_payload] ^ 0x55]) + content[inside_payload + 1 :]

    def reader(self) -> Reader:
        return wandb_offline.Reader(self.path)

    def close(self) -> None:
        """Nothing is open between writes."""


class JsonLinesWriter:
    """A metric log of JSON lines, as most trainers' file loggers write it."""

    def __init__(self, path: Path) -> None:
        path.mkdir()
        self.path = path
        self.file = path / "metrics.jsonl"
        self.file.touch()

    def write(self, step: int, metrics: Mapping[str, float]) -> None:
        with self.file.open("a") as file:
            file.write(json.dumps({"step": step, **metrics}) + "\n")

    def corrupt(self, content: bytes, start: int) -> bytes:
        return content[:start] + b"x" + content[start + 1 :]

    def reader(self) -> Reader:
        return metric_tables.Reader(self.file)

    def close(self) -> None:
        """Nothing is open between writes."""


def _split(payload: bytes, size: int) -> list[bytes]:
    return [payload[start : start + size] for start in range(0, len(payload), size)]


Writer = RunLogWriter | EventFileWriter | WandbWriter | JsonLinesWriter


@pytest.fixture(
    params=[RunLogWriter, EventFileWriter, WandbWriter, JsonLinesWriter],
    ids=["rlvitals", "tensorboard", "wandb", "jsonl"],
)
def writer(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Writer]:
    """A run of each format, with nothing logged yet."""
    made: Writer = request.param(tmp_path / "run")
    yield made
    made.close()


@pytest.fixture
def wandb_file(tmp_path: Path) -> WandbWriter:
    """A `.wandb` file with nothing logged yet."""
    return WandbWriter(tmp_path / "offline-run-20260101_000000-abc")


@pytest.fixture
def event_file(tmp_path: Path) -> EventFileWriter:
    """An event file with nothing logged yet."""
    return EventFileWriter(tmp_path / "project")
