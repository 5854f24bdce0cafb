"""Helpers of the conformance tests: what a reader finds in a run, the bytes it reads, lengths of truncated files."""

from pathlib import Path
from typing import Any

from diagnostics.model.recording import Recording
from diagnostics.readers.base import Reader, UnreadableRun

CUTS = 60
Points = list[tuple[int, float]]


def points(recording: Recording, tag: str) -> Points:
    """The steps and values of one tag."""
    raw = recording.tags[tag]
    return list(zip(raw.steps.tolist(), raw.values.tolist(), strict=True))


def recording_or_none(reader: Reader) -> Recording | None:
    """What a reader finds; None if it reports, naming the path, that the run cannot be read."""
    try:
        return reader.refresh()
    except UnreadableRun as error:
        if not error.sentence.startswith(str(error.path)):
            raise
        return None


def loss_points(reader: Reader) -> Any:
    """The loss points that a reader finds; None if it reports that the run cannot be read."""
    recording = recording_or_none(reader)
    return recording and (points(recording, "loss") if recording.tags else [])


def truncated_lengths(size: int) -> list[int]:
    """Lengths of a truncated file, from zero to all but one byte."""
    return sorted({0, size - 1, *range(1, size, max(1, size // CUTS))})


def bytes_read() -> int:
    """Bytes that this process has read from files so far, as counted by the kernel."""
    fields = dict(line.split(": ") for line in Path("/proc/self/io").read_text().splitlines())
    return int(fields["rchar"])
