"""The event log: what was read of one training's event files so far, in the order in which they were written."""

import struct
from collections.abc import Iterable, Iterator, Sequence
from heapq import merge
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np

from diagnostics.model.histograms import Histogram, HistogramColumns
from diagnostics.model.series import RawSeries, Values
from diagnostics.model.status import Status
from diagnostics.readers.columns import Columns
from diagnostics.readers.tensorboard.events import HISTOGRAM_PLUGIN, SCALAR_PLUGINS, Event, decode
from diagnostics.readers.tensorboard.frames import Frames
from diagnostics.readers.tensorboard.hparams import PLUGIN, settings_of
from diagnostics.readers.tensorboard.point_batches import Gathering, Piece
from diagnostics.readers.tensorboard.record_layouts import Layouts
from diagnostics.readers.tensorboard.records import Records
from diagnostics.readers.tensorboard.repeated_rounds import Turns
from diagnostics.readers.tensorboard.restarts import Restart, Restarts
from diagnostics.readers.tensorboard.sample_texts import SampleTexts

SILENCE_LIMIT_SECONDS = 300.0  # nothing says whether the writer lives, and a step of a large model takes minutes
_NOTHING_YET = -1, 0, 0.0  # record, step and time


class EventLog:
    """Grows with its files; `events` counts the records that were understood, `first_time` is that of the first one."""

    def __init__(self) -> None:
        self.columns = Columns()
        self.histograms = HistogramColumns()
        self.text: dict[str, str] = {}
        self.settings: dict[str, Any] = {}
        self.samples = SampleTexts()
        self.events = 0
        self.first_time: float | None = None
        self._last: tuple[int, float] | None = None  # step and time of the newest number or histogram
        self._records: dict[Path, Records] = {}
        self._layouts = Layouts()
        self._plugins: dict[str, str] = {}
        self._restarts = Restarts()
        self._skipped = 0  # values that are neither number, text nor histogram
        self._misfits = 0  # records that are whole but no event

    @property
    def was_replaced(self) -> bool:
        return any(records.tail.was_replaced for records in self._records.values())

    @property
    def malformed(self) -> int:
        return self._misfits + sum(records.malformed for records in self._records.values())

    def read(self, files: tuple[Path, ...]) -> bool:
        """Take in what is new; False where nothing is."""
        before = self._offset
        for file in files:
            records = self._records.setdefault(file, Records(file))
            for found in records.stretches():
                if isinstance(found, Turns):
                    self._take_turns(found, records.bytes_left // found.round_bytes)
                elif isinstance(found, Frames):
                    self._take_stretch(found)
                elif (event := self._decoded(found)) is not None:
                    self._take(event, self.columns)
        return self._offset != before

    def series(self) -> dict[str, RawSeries]:
        """All points so far, by tag, without those that a restart withdrew."""
        return self._restarts.applied(self.columns.series())

    def status(self, now: float) -> Status:
        """Running while data arrives; a fact with its age afterwards, for event files do not say how a run ended."""
        if self._last is None:
            return Status()
        step, time = self._last
        state = "running" if now - time <= SILENCE_LIMIT_SECONDS else "silent"
        return Status(state=state, step=step, last_written=time)

    def notes(self, has_ended: bool) -> Iterator[str]:
        """Sentences about what was left out; a torn last record is none while the run still writes."""
        if self._skipped:
            yield f"{self._skipped} values that are neither a number, a text nor a histogram were skipped"
        for file, records in self._records.items():
            if has_ended and records.torn_bytes:
                yield f"{file.name} ends within a record; its last {records.torn_bytes} bytes were left out"

    @property
    def _offset(self) -> int:
        return sum(records.tail.offset for records in self._records.values())

    def _decoded(self, payload: bytes) -> Event | None:
        try:
            event = decode(payload)
        except (ValueError, struct.error):
            self._misfits += 1
            return None
        self.events += 1
        return event

    def _take(self, event: Event, points: Columns | Gathering) -> None:
        if self.first_time is None:
            self.first_time = event.time
        if event.restarts:
            self._restarts.add(Restart(event.step, points.sizes))
        for point in event.points:
            plugin = self._plugins.setdefault(point.tag, point.plugin)  # only a tag's first value names its plugin
            if point.text is not None:
                self.text[point.tag] = point.text
                self.samples.note(point.tag, event.step, point.text)
            elif point.value is not None and plugin in SCALAR_PLUGINS:
                points.add(point.tag, event.step, point.value, event.time)
                self._last = event.step, event.time
            elif plugin == HISTOGRAM_PLUGIN and point.numbers is not None:
                self._take_histogram(point.tag, event, point.numbers)
            elif plugin == PLUGIN:
                self._take_settings(point.content)
            else:
                self._skipped += 1

    def _take_settings(self, content: bytes) -> None:
        try:
            self.settings.update(settings_of(content))
        except ValueError:
            self._misfits += 1

    def _take_histogram(self, tag: str, event: Event, numbers: Values) -> None:
        """Take in buckets, (N, 3): left edge, right edge, count."""
        try:
            bins = Histogram.of(np.append(numbers[:, 0], numbers[-1, 1]), numbers[:, 2])
        except ValueError:
            self._misfits += 1
            return
        self.histograms.add(tag, event.step, bins)
        self._last = event.step, event.time

    def _take_turns(self, turns: Turns, more: int) -> None:
        """Take in rounds, whose curves come in the order of their records; so many more may follow."""
        self.events += turns.records
        if self.first_time is None:
            self.first_time = float(turns.curves[0].times[0])
        for tag, plugin, steps, values, times in turns.curves:
            if self._plugins.setdefault(tag, plugin) in SCALAR_PLUGINS:
                self.columns.extend(tag, steps, values, times, more)
                self._last = int(steps[-1]), float(times[-1])
            else:
                self._skipped += len(steps)

    def _take_stretch(self, frames: Frames) -> None:
        """Take in many records: most come as arrays, the others one by one, each where it stands among them."""
        batch = self._layouts.decode(frames)
        self.events += len(frames) - len(batch.rest)
        rest = ((index, self._decoded(frames.payload(index))) for index in batch.rest)
        self._take_in_order(batch.pieces, ((index, event) for index, event in rest if event is not None))

    def _take_in_order(self, pieces: Sequence[Piece], events: Iterable[tuple[int, Event]]) -> None:
        """Take in pieces and single events, both in the order of their first record."""
        points = Gathering(self.columns, pieces)
        newest = _NOTHING_YET
        numbered: list[Iterable[tuple[int, Piece | Event]]] = [((piece.first, piece) for piece in pieces), events]
        for index, found in merge(*numbered, key=itemgetter(0)):
            if isinstance(found, Piece):
                newest = max(newest, self._take_piece(found, points))
                continue
            points.record, before = index, self._last
            self._take(found, points)
            if self._last is not before and self._last is not None:
                newest = max(newest, (index, *self._last))
        points.settle()
        if newest is not _NOTHING_YET:
            self._last = newest[1:]

    def _take_piece(self, piece: Piece, points: Gathering) -> tuple[int, int, float]:
        """Take in points of one tag; returns the last one's record, step and time, as of a stretch's newest point."""
        if self.first_time is None:
            self.first_time = float(piece.times[0])
        if self._plugins.setdefault(piece.tag, piece.plugin) not in SCALAR_PLUGINS:
            self._skipped += len(piece.records)
            return _NOTHING_YET
        points.take(piece)
        return int(piece.records[-1]), int(piece.steps[-1]), float(piece.times[-1])
