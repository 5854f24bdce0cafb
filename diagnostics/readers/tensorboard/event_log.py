"""The event log: everything read so far from one training's event files, in the order of writing."""

from collections.abc import Iterator
from heapq import merge
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np

from diagnostics.language import N_
from diagnostics.model.histograms import Histogram
from diagnostics.model.series import RawSeries, Values
from diagnostics.model.status import Status
from diagnostics.readers.columns import Columns
from diagnostics.readers.histogram_columns import HistogramColumns
from diagnostics.readers.liveness import state_of
from diagnostics.readers.tensorboard.decode import EventDecoder, Stretch, TagPoints
from diagnostics.readers.tensorboard.events import HISTOGRAM_PLUGIN, SCALAR_PLUGINS, Event
from diagnostics.readers.tensorboard.hparams import PLUGIN, settings_of
from diagnostics.readers.tensorboard.restarts import Restart, Restarts
from diagnostics.readers.tensorboard.sample_texts import SampleTexts
from diagnostics.readers.tensorboard.stretch_points import StretchPoints
from diagnostics.told import told

_NOTHING_YET = -1, 0, 0.0  # record, step and time


class EventLog:
    """Grows with its files; `events` counts decoded records, `first_time` is the first record's time."""

    def __init__(self) -> None:
        self.columns = Columns()
        self.histograms = HistogramColumns()
        self.text: dict[str, str] = {}
        self.settings: dict[str, Any] = {}
        self.samples = SampleTexts()
        self.first_time: float | None = None
        self._last: tuple[int, float] | None = None  # step and time of the newest number or histogram
        self._decoder = EventDecoder()
        self._plugins: dict[str, str] = {}
        self._restarts = Restarts()
        self._skipped = 0  # values that are neither number, text nor histogram
        self._misfits = 0  # malformed settings and histograms

    @property
    def was_replaced(self) -> bool:
        return self._decoder.was_replaced

    @property
    def events(self) -> int:
        """The number of decoded records."""
        return self._decoder.decoded

    @property
    def malformed(self) -> int:
        return self._misfits + self._decoder.malformed

    def read(self, files: tuple[Path, ...]) -> bool:
        """Read what was appended; False if nothing was."""
        before = self._decoder.offset
        for found in self._decoder.decode(files):
            if isinstance(found, Stretch):
                self._take_stretch(found)
            else:
                self._take(found, self.columns)
        return self._decoder.offset != before

    def series(self) -> dict[str, RawSeries]:
        """All points so far, by tag, without those that a restart withdrew."""
        return self._restarts.remaining_series(self.columns.series())

    def status(self, now: float) -> Status:
        """Running while data arrives, silent afterwards: event files do not record how a run ended."""
        if self._last is None:
            return Status()
        step, time = self._last
        return Status(state=state_of(time, now), step=step, last_written=time)

    def notes(self, has_ended: bool) -> Iterator[str]:
        """Sentences about what was left out; an incomplete last record is normal while the run is being written."""
        if self._skipped:
            yield told(
                "{count} values that are neither a number, a text nor a histogram were skipped", count=self._skipped
            )
        yield from self._decoder.notes()
        yield from self.samples.notes()
        for file, torn_bytes in self._decoder.torn_ends() if has_ended else ():
            text = N_("{file} ends within a record; its last {count} bytes were left out")
            yield told(text, file=file.name, count=torn_bytes)

    def _take(self, event: Event, points: Columns | StretchPoints) -> None:
        if self.first_time is None:
            self.first_time = event.time
        if event.restarts:
            self._restarts.add(Restart(event.step, points.sizes))
        for point in event.points:
            plugin = self._plugins.setdefault(point.tag, point.plugin)  # only a tag's first value names its plugin
            if point.text is not None:
                self.text[point.tag] = point.text
                self.samples.add(point.tag, event.step, point.text)
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
        """Add a histogram given as buckets (N, 3): left edge, right edge, count."""
        try:
            bins = Histogram.of(np.append(numbers[:, 0], numbers[-1, 1]), numbers[:, 2])
        except ValueError:
            self._misfits += 1
            return
        self.histograms.add(tag, event.step, bins)
        self._last = event.step, event.time

    def _take_stretch(self, stretch: Stretch) -> None:
        if stretch.is_interleaved:
            self._take_interleaved(stretch)
            return
        for run in stretch.points:
            if self._has_scalars(run):
                self.columns.extend(run.tag, run.steps, run.values, run.times, stretch.records_left)
                self._last = int(run.steps[-1]), float(run.times[-1])

    def _take_interleaved(self, stretch: Stretch) -> None:
        """Add runs of points and single events, in the order of their first record."""
        points, newest = StretchPoints(self.columns, stretch.points), _NOTHING_YET
        runs: Iterator[tuple[int, TagPoints | Event]] = ((run.first_record, run) for run in stretch.points)
        for record, found in merge(runs, stretch.events, key=itemgetter(0)):
            if isinstance(found, TagPoints):
                if self._has_scalars(found):
                    points.extend(found)
                    newest = max(newest, (found.last_record, int(found.steps[-1]), float(found.times[-1])))
                continue
            points.record, before = record, self._last
            self._take(found, points)
            if self._last is not before and self._last is not None:
                newest = max(newest, (record, *self._last))
        points.flush()
        if newest is not _NOTHING_YET:
            self._last = newest[1:]

    def _has_scalars(self, run: TagPoints) -> bool:
        """Whether the tag holds scalars, according to its first value; other values are counted as skipped."""
        if self.first_time is None:
            self.first_time = float(run.times[0])
        has_scalars = self._plugins.setdefault(run.tag, run.plugin) in SCALAR_PLUGINS
        if not has_scalars:
            self._skipped += len(run.steps)
        return has_scalars
