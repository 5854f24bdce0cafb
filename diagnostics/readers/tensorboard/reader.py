"""Reads TensorBoard event files: one training in one folder, whatever wrote it."""

import hashlib
import math
import time
from pathlib import Path
from typing import Any

from diagnostics.model.recording import Recording, Source
from diagnostics.model.samples import Samples
from diagnostics.model.status import Status
from diagnostics.readers.base import RunRef, UnreadableRun
from diagnostics.readers.run_folder import CARD_FILE, files_beside, model_card, run_name, saved_hyperparameters
from diagnostics.readers.tensorboard.event_log import EventLog
from diagnostics.readers.tensorboard.file_groups import event_files, group_by_training, opened_at
from diagnostics.readers.tensorboard.sample_texts import SampleTexts
from diagnostics.readers.tensorboard.subruns import SubLogs, sub_run
from diagnostics.told import told


def runs_in(folder: Path) -> tuple[RunRef, ...]:
    """The folder itself if its event files are one training, else the first event file of each training."""
    if sub_run(folder):
        return ()
    found = group_by_training(event_files(folder))
    paths = (folder,) if len(found) == 1 else tuple(files[0] for files in found)
    home = next((path.parent for path in (folder, folder.parent) if path.name == "runs"), folder)
    return tuple(RunRef(path, "tensorboard", run_name(path), home) for path in paths)


def start_time(path: Path) -> float | None:
    """When the first event file was opened, according to its name."""
    files = event_files(path) if path.is_dir() else (path,)
    return float(opened_at(files[0])) or None if files else None


class Reader:
    """Follows the event files of one training: a folder, or one of several trainings in it, named by its first file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._log = EventLog()
        self._subs = SubLogs(path if path.is_dir() else path.parent)
        self._until = math.inf  # when another training took over the folder
        self._last: Recording | None = None

    def refresh(self) -> Recording:
        """The run's current Recording; the same object as the last call if nothing changed. Raises UnreadableRun."""
        files = self._files()
        if self._log.was_replaced:
            self._log, self._last = EventLog(), None
        grew = self._log.read(files) | self._subs.read(opened_at(files[0]), self._until)
        if not self._log.events:
            raise UnreadableRun(self.path, self._nothing_readable(files))
        status = self._log.status(time.time())
        card = model_card(files[0])
        if self._last is None or grew or (status, card) != (self._last.status, self._last.text[CARD_FILE]):
            self._last = self._record(files[0], status, card)
        return self._last

    def files(self) -> tuple[Path, ...]:
        """The event files, those of sub-runs, all folders in which more may appear, and the files beside them."""
        files = self._files()
        return (*files, *files_beside(files[0]), *self._subs.files())

    def name(self) -> str:
        """The run's name among the runs of its folder."""
        return run_name(self.path)

    def sample_index(self) -> Any:
        """The texts that contain samples, by step."""
        return self._log.samples.index()

    def samples_of(self, index: Any) -> Samples:
        """The samples in these texts."""
        return SampleTexts(index).snapshot()

    def _files(self) -> tuple[Path, ...]:
        """The event files of this training, in the order of writing."""
        folder = self.path if self.path.is_dir() else self.path.parent
        found = group_by_training(event_files(folder))
        for place, files in enumerate(found):
            if self.path in (folder, files[0]):
                self._until = opened_at(found[place + 1][0]) if place + 1 < len(found) else math.inf
                return files
        raise UnreadableRun(
            self.path, told("{path} is gone: its event files were there and have been removed", path=self.path)
        )

    def _record(self, first: Path, status: Status, card: str) -> Recording:
        log = self._log
        return Recording(
            path=self.path,
            sources=(Source("tensorboard", self.path),),
            run_id=hashlib.blake2b(first.name.encode(), digest_size=6).hexdigest(),  # unchanged if the folder moves
            name=run_name(self.path),
            tags={**self._subs.tags(), **log.series()},
            histograms=log.histograms.by_tag(),
            config={**self._subs.settings, **log.settings, **saved_hyperparameters(first)},
            text={**log.text, CARD_FILE: card},
            samples=log.samples.snapshot(),
            status=status,
            created=log.first_time,
            malformed=log.malformed + self._subs.malformed,
            notes=tuple(log.notes(has_ended=status.state != "running")),
        )

    def _nothing_readable(self, files: tuple[Path, ...]) -> str:
        size = sum(file.stat().st_size for file in files)
        if size == 0:
            return told("{path} is empty: its writer has not written a record yet", path=self.path)
        return told(
            "{path} holds no readable record: its {size} bytes are cut off within the first one or corrupt",
            path=self.path,
            size=size,
        )
