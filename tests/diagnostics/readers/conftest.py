"""The formats under conformance test: each one writes a growing run in its own way."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from diagnostics.readers import Reader, runlog, tensorboard
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


Writer = RunLogWriter | EventFileWriter


@pytest.fixture(params=[RunLogWriter, EventFileWriter], ids=["rlvitals", "tensorboard"])
def writer(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Writer]:
    """A run of each format, with nothing logged yet."""
    made: Writer = request.param(tmp_path / "run")
    yield made
    made.close()


@pytest.fixture
def event_file(tmp_path: Path) -> EventFileWriter:
    """An event file with nothing logged yet."""
    return EventFileWriter(tmp_path / "project")
