"""The formats under conformance test: each one writes a growing run in its own way."""

import json
import struct
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, get_args

import pytest

from benchmarks.event_files import field, varint
from diagnostics.readers import (
    Reader,
    metric_tables,
    mlflow_files,
    runlog,
    swanlab,
    tensorboard,
    torchtune,
    wandb_offline,
)
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


class SwanlabWriter(WandbWriter):
    """A `.swanlab` file: SwanLab's messages in the same framing, one scalar per record."""

    def __init__(self, path: Path) -> None:
        path.mkdir()
        self.path = path
        self.file = path / "run-abc.swanlab"
        self.file.write_bytes(b":SWL" + struct.pack("<HB", 0xE1D6, 2))

    def write(self, step: int, metrics: Mapping[str, float]) -> None:
        for name, value in metrics.items():
            number = field(5, b"\x09" + struct.pack("<d", value))  # number, a double in its field 1
            scalar = field(1, name.encode()) + b"\x10" + varint(step) + number
            self.append(b"\x08" + varint(step) + field(13, scalar))

    def reader(self) -> Reader:
        return swanlab.Reader(self.path)


class MlflowFilesWriter:
    """A run of MLflow's file store: a file for each metric."""

    def __init__(self, path: Path) -> None:
        (path / "metrics").mkdir(parents=True)
        (path / "meta.yaml").write_text("run_id: abc\nrun_name: nightly\nstatus: 1\nstart_time: 1700000000000\n")
        self.path = path
        self.file = path / "metrics" / "loss"
        self.file.touch()

    def write(self, step: int, metrics: Mapping[str, float]) -> None:
        for name, value in metrics.items():
            file = self.path / "metrics" / name
            file.parent.mkdir(exist_ok=True)
            with file.open("a") as lines:
                lines.write(f"{1700000000000 + step} {value} {step}\n")

    def corrupt(self, content: bytes, start: int) -> bytes:
        return content[:start] + b"x" + content[start + 1 :]

    def reader(self) -> Reader:
        return mlflow_files.Reader(self.path)

    def close(self) -> None:
        """Nothing is open between writes."""


class TorchtuneWriter:
    """The log of torchtune's DiskLogger."""

    def __init__(self, path: Path) -> None:
        path.mkdir()
        self.path = path
        self.file = path / "log_1700000000.txt"
        self.file.touch()

    def write(self, step: int, metrics: Mapping[str, float]) -> None:
        values = "".join(f"{name}:{value} " for name, value in metrics.items())
        with self.file.open("a") as file:
            file.write(f"Step {step} | {values}\n")

    def corrupt(self, content: bytes, start: int) -> bytes:
        return content[:start] + b"x" + content[start + 1 :]

    def reader(self) -> Reader:
        return torchtune.Reader(self.file)

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


Writer = (
    RunLogWriter | EventFileWriter | WandbWriter | SwanlabWriter | MlflowFilesWriter | TorchtuneWriter | JsonLinesWriter
)


@pytest.fixture(params=get_args(Writer), ids=lambda writer: writer.__name__.removesuffix("Writer"))
def writer(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Writer]:
    """A run of each format, with nothing logged yet."""
    made: Writer = request.param(tmp_path / "run")
    yield made
    made.close()


@pytest.fixture(scope="session")
def wandb_writer() -> type[WandbWriter]:
    """What writes a `.wandb` file at a path."""
    return WandbWriter


@pytest.fixture
def wandb_file(tmp_path: Path) -> WandbWriter:
    """A `.wandb` file with nothing logged yet."""
    return WandbWriter(tmp_path / "offline-run-20260101_000000-abc")


@pytest.fixture
def swanlab_file(tmp_path: Path) -> SwanlabWriter:
    """A `.swanlab` file with nothing logged yet."""
    return SwanlabWriter(tmp_path / "run-20260101_000000-abc")


@pytest.fixture
def event_file(tmp_path: Path) -> EventFileWriter:
    """An event file with nothing logged yet."""
    return EventFileWriter(tmp_path / "project")
