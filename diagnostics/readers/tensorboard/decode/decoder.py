"""The one door to decoding event files: events one at a time, and stretches of many records decoded at once.

Records that cannot be read in bulk are decoded one at a time; the points are the same either way.
"""

import struct
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from diagnostics.readers.tensorboard.decode.frames import Frames
from diagnostics.readers.tensorboard.decode.record_layouts import Layouts
from diagnostics.readers.tensorboard.decode.records import Records
from diagnostics.readers.tensorboard.decode.repeated_rounds import DecodedRounds
from diagnostics.readers.tensorboard.decode.tag_points import TagPoints
from diagnostics.readers.tensorboard.events import Event, decode_event


class Stretch(NamedTuple):
    """Consecutive records decoded at once.

    `points` come in the order of their first record; `events` are the records that were decoded one at a time, each
    with its record number. `records_left` estimates how many more records each tag has in the rest of the file.
    """

    points: Sequence[TagPoints]
    events: Sequence[tuple[int, Event]]
    records_left: int = 0

    @property
    def is_interleaved(self) -> bool:
        """Whether record numbers decide the order: several runs of points per tag, or events among them."""
        return not self.points or self.points[0].records is not None


class EventDecoder:
    """Decodes the event files of one training as they grow; each call reads only appended bytes.

    `decoded` counts records that were understood, `malformed` those that are whole but no event, and corrupt stretches.
    """

    def __init__(self) -> None:
        self.decoded = 0
        self._misfits = 0
        self._records: dict[Path, Records] = {}
        self._layouts = Layouts()

    @property
    def was_replaced(self) -> bool:
        """Whether a file is no longer the one that was read so far."""
        return any(records.tail.was_replaced for records in self._records.values())

    @property
    def malformed(self) -> int:
        return self._misfits + sum(records.malformed for records in self._records.values())

    @property
    def offset(self) -> int:
        """How many bytes were read, over all files."""
        return sum(records.tail.offset for records in self._records.values())

    def torn_ends(self) -> Iterator[tuple[Path, int]]:
        """The files that end within a record, each with the length of that torn end in bytes."""
        return ((file, records.torn_bytes) for file, records in self._records.items() if records.torn_bytes)

    def notes(self) -> Iterator[str]:
        """Sentences about what a bound left out."""
        return (note for records in self._records.values() for note in records.tail.notes())

    def decode(self, files: Sequence[Path]) -> Iterator[Event | Stretch]:
        """What was appended to the files since the last call, in the order of writing."""
        for file in files:
            records = self._records.setdefault(file, Records(file))
            for found in records.stretches():
                if isinstance(found, DecodedRounds):
                    self.decoded += found.records
                    yield Stretch(found.points, (), records.bytes_left // found.round_bytes)
                elif isinstance(found, Frames):
                    yield self._decode_stretch(found)
                elif (event := self._decode_one(found)) is not None:
                    yield event

    def _decode_stretch(self, frames: Frames) -> Stretch:
        points, rest = self._layouts.decode(frames)
        self.decoded += len(frames) - len(rest)
        decoded = ((index, self._decode_one(frames.payload(index))) for index in rest)
        return Stretch(points, [(index, event) for index, event in decoded if event is not None])

    def _decode_one(self, payload: bytes) -> Event | None:
        try:
            event = decode_event(payload)
        except (ValueError, struct.error):
            self._misfits += 1
            return None
        self.decoded += 1
        return event
