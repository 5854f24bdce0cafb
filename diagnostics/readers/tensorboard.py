"""The reader of TensorBoard event files: one training in one folder, whatever wrote it."""

import hashlib
import struct
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from diagnostics.histograms import Histogram, HistogramColumns
from diagnostics.readers import RunRef, UnreadableRun
from diagnostics.readers.columns import Columns
from diagnostics.readers.events import HISTOGRAM_PLUGIN, SCALAR_PLUGINS, Event, decode
from diagnostics.readers.records import Records
from diagnostics.readers.surroundings import CARD_FILE, is_time_named, model_card, run_name, saved_hyperparameters
from diagnostics.readers.trainings import event_files, trainings
from diagnostics.readers.trainings import started as opened
from diagnostics.run import Recording, Source, Status, Values

SILENCE_LIMIT_SECONDS = 300.0  # nothing says whether the writer lives, and a step of a large model takes minutes


def runs_in(folder: Path) -> tuple[RunRef, ...]:
    """The folder where its event files are one training, else the first event file of each training."""
    if is_time_named(folder) and event_files(folder.parent):
        return ()  # hyper-parameters that a run of the parent folder saved
    found = trainings(event_files(folder))
    paths = (folder,) if len(found) == 1 else tuple(files[0] for files in found)
    home = folder.parent.parent if folder.parent.name == "runs" else folder
    return tuple(RunRef(path, "tensorboard", run_name(path), home) for path in paths)


def started(path: Path) -> float | None:
    """When the first event file was opened, as its name says."""
    files = event_files(path) if path.is_dir() else (path,)
    return float(opened(files[0])) or None if files else None


class Reader:
    """Follows the event files of one training: a folder, or one of several trainings in it named by its first file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._log = _Log()
        self._last: Recording | None = None

    def refresh(self) -> Recording:
        """All that the run holds by now; the object of the last call when nothing changed. Raises UnreadableRun."""
        files = self._files()
        if self._log.was_replaced:
            self._log, self._last = _Log(), None
        grew = self._log.read(files)
        if not self._log.events:
            raise UnreadableRun(self.path, self._nothing_readable(files))
        status = self._log.status(time.time())
        card = model_card(files[0])
        if self._last is None or grew or (status, card) != (self._last.status, self._last.text[CARD_FILE]):
            self._last = self._record(files[0], status, card)
        return self._last

    def _files(self) -> tuple[Path, ...]:
        """The event files of this training, in the order of writing."""
        folder = self.path if self.path.is_dir() else self.path.parent
        found = trainings(event_files(folder))
        for files in found:
            if self.path in (folder, files[0]):
                return files
        raise UnreadableRun(self.path, f"{self.path} is gone: its event files were there and have been removed")

    def _record(self, first: Path, status: Status, card: str) -> Recording:
        log = self._log
        return Recording(
            path=self.path,
            sources=(Source("tensorboard", self.path),),
            run_id=hashlib.blake2b(first.name.encode(), digest_size=6).hexdigest(),  # stays when the folder moves
            name=run_name(self.path),
            tags=log.columns.series(),
            histograms=log.histograms.by_tag(),
            config=saved_hyperparameters(first),
            text={**log.text, CARD_FILE: card},
            status=status,
            created=log.first_time,
            malformed=log.malformed,
            notes=tuple(log.notes(has_ended=status.state != "running")),
        )

    def _nothing_readable(self, files: tuple[Path, ...]) -> str:
        size = sum(file.stat().st_size for file in files)
        if size == 0:
            return f"{self.path} is empty: its writer has not written a record yet"
        return f"{self.path} holds no readable record: its {size} bytes are cut off within the first one or corrupt"


class _Log:
    """What was read of one training's event files so far."""

    def __init__(self) -> None:
        self.columns = Columns()
        self.histograms = HistogramColumns()
        self.text: dict[str, str] = {}
        self.events = 0
        self.first_time: float | None = None
        self._last: Event | None = None
        self._records: dict[Path, Records] = {}
        self._plugins: dict[str, str] = {}
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
            for payload in self._records.setdefault(file, Records(file)).payloads():
                self._take(payload)
        return self._offset != before

    def status(self, now: float) -> Status:
        """Running while data arrives; a fact with its age afterwards, for event files do not say how a run ended."""
        if self._last is None:
            return Status()
        age = now - self._last.time
        state = "running" if age <= SILENCE_LIMIT_SECONDS else "silent"
        return Status(state=state, step=self._last.step, last_written=self._last.time)

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

    def _take(self, payload: bytes) -> None:
        try:
            event = decode(payload)
        except (ValueError, struct.error):
            self._misfits += 1
            return
        self.events += 1
        if self.first_time is None:
            self.first_time = event.time
        for point in event.points:
            plugin = self._plugins.setdefault(point.tag, point.plugin)  # only a tag's first value names its plugin
            if point.text is not None:
                self.text[point.tag] = point.text
            elif point.value is not None and plugin in SCALAR_PLUGINS:
                self.columns.add(point.tag, event.step, point.value, event.time)
                self._last = event
            elif plugin == HISTOGRAM_PLUGIN and point.numbers is not None:
                self._take_histogram(point.tag, event, point.numbers)
            else:
                self._skipped += plugin != "hparams"

    def _take_histogram(self, tag: str, event: Event, numbers: Values) -> None:
        """Take in buckets, (N, 3): left edge, right edge, count."""
        try:
            bins = Histogram.of(np.append(numbers[:, 0], numbers[-1, 1]), numbers[:, 2])
        except ValueError:
            self._misfits += 1
            return
        self.histograms.add(tag, event.step, bins)
        self._last = event
