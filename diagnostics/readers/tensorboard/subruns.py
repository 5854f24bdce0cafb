"""Sub-runs: folders that a TensorBoard writer makes below its own, for settings and for curves drawn together.

`add_hparams` makes a folder named by the time, with the settings and final values in a file of its own. `add_scalars`
makes a folder for each curve, whose only tag is the chart's name: `loss_a` (PyTorch) or `loss/a` (tensorboardX). They
are parts of the run of the folder above, where the curve is called `loss/a`.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from diagnostics.foreign_files.folders import folders_in
from diagnostics.model.series import RawSeries
from diagnostics.readers.run_folder import is_time_named
from diagnostics.readers.tensorboard.event_log import EventLog
from diagnostics.readers.tensorboard.file_groups import event_files, only_tag

DEEPEST = 4  # a chart's name contains few slashes


class SubRun(NamedTuple):
    """A folder that is part of `root`'s run; `tag` is the name of its only tag there, "" keeps all names."""

    folder: Path
    root: Path
    tag: str


def sub_run(folder: Path) -> SubRun | None:
    """The run that a folder with event files is part of; None if it is a run of its own."""
    if is_time_named(folder):
        return SubRun(folder, folder.parent, "") if event_files(folder.parent) else None
    files = event_files(folder)
    chart = only_tag(files[0]) if files else ""
    if not chart:
        return None
    flat, depth = chart.replace("/", "_") + "_", len(chart.split("/"))
    if folder.name.startswith(flat) and event_files(folder.parent):
        return SubRun(folder, folder.parent, f"{chart}/{folder.name.removeprefix(flat)}")
    root = folder.parents[depth] if len(folder.parents) > depth else folder
    is_nested = folder.parent == root / chart and bool(event_files(root))
    return SubRun(folder, root, f"{chart}/{folder.name}") if is_nested else None


class SubLogs:
    """The sub-runs of one folder; if trainings share the folder, only those that this training created."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._logs: dict[Path, tuple[SubRun, EventLog]] = {}
        self._modified = -1
        self._candidates: tuple[int, tuple[Path, ...]] = -1, ()

    @property
    def malformed(self) -> int:
        """Records that could not be decoded."""
        return sum(log.malformed for _, log in self._logs.values())

    @property
    def settings(self) -> dict[str, object]:
        """The settings passed to `add_hparams`."""
        return {name: value for _, log in self._logs.values() for name, value in log.settings.items()}

    def files(self) -> tuple[Path, ...]:
        """Every folder that is or may become a sub-run, and the event files in it."""
        modified = self.root.stat().st_mtime_ns
        if modified != self._candidates[0]:
            found = (path for folder in _folders(self.root) for path in (folder, *event_files(folder)))
            self._candidates = modified, tuple(found)
        return self._candidates[1]

    def read(self, since: float, until: float) -> bool:
        """Read what was appended in folders created in this time span; False if nothing was."""
        modified = self.root.stat().st_mtime_ns
        if modified != self._modified:
            self._modified = modified
            for found in _subruns_below(self.root):
                if not is_time_named(found.folder) or since <= float(found.folder.name) < until:
                    self._logs.setdefault(found.folder, (found, EventLog()))
        grew = [log.read(event_files(found.folder)) for found, log in self._logs.values()]
        return any(grew)

    def tags(self) -> dict[str, RawSeries]:
        """Their series, under their names in the run."""
        return {
            found.tag or tag: replace(series, tag=found.tag or tag)
            for found, log in self._logs.values()
            for tag, series in log.series().items()
        }


def _subruns_below(root: Path) -> Iterator[SubRun]:
    """The sub-runs of a folder, ordered by name."""
    for folder in _folders(root):
        found = sub_run(folder)
        if found is not None and found.root == root:
            yield found


def _folders(root: Path) -> Iterator[Path]:
    """The folders close enough below another one to be its sub-runs."""
    level: tuple[Path, ...] = (root,)
    for _ in range(1, DEEPEST):
        level = tuple(folder for above in level for folder in folders_in(above))
        yield from level
