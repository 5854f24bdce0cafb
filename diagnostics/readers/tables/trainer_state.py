"""Reads transformers' `trainer_state.json`: the log history that a Trainer saves with each checkpoint."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from diagnostics.foreign_files import read_whole
from diagnostics.foreign_files.folders import resolved
from diagnostics.model.recording import Recording, Source
from diagnostics.model.status import Status
from diagnostics.readers.base import RunRef, UnreadableRun
from diagnostics.readers.files.json_lines import Row, as_whole, parse_row
from diagnostics.readers.rows import Rows
from diagnostics.readers.run_folder import CARD_FILE, model_card, run_name
from diagnostics.readers.tables.metric_rows import whole_step
from diagnostics.told import told

STATE_FILE = "trainer_state.json"
HISTORY_KEY = "log_history"
SUMMARY_KEY = "train_runtime"  # the last row summarises the training and is not a step
_CHECKPOINT = re.compile(r"checkpoint-(?P<step>\d+)")


def runs_in(folder: Path) -> tuple[RunRef, ...]:
    """The output folder that a checkpoint belongs to; the last checkpoint contains the whole history."""
    home = output_folder(folder)
    newest = newest_state(home)
    if newest is None or newest.parent != folder:
        return ()
    return (RunRef(home, "trainer-state", run_name(home), home),)


def start_time(path: Path) -> float | None:
    """Unknown: the file contains no times."""


def output_folder(folder: Path) -> Path:
    """The training's output folder: the parent of a checkpoint's folder, else the folder itself."""
    return folder.parent if _CHECKPOINT.fullmatch(folder.name) else folder


def newest_state(home: Path) -> Path | None:
    """The trainer_state.json with the longest history: the training's own, else the last checkpoint's."""
    own = home / STATE_FILE
    if own.is_file():
        return own
    found = [(int(match["step"]), path) for path, match in _checkpoints(home) if (path / STATE_FILE).is_file()]
    return max(found)[1] / STATE_FILE if found else None


class Reader:
    """Follows one training by its newest trainer_state.json, which is replaced at each checkpoint."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._seen: tuple[Path, int, int, int] | None = None
        self._last: Recording | None = None

    def refresh(self) -> Recording:
        """The run's current Recording; the same object as the last call if nothing changed. Raises UnreadableRun."""
        file = self.path if self.path.is_file() else newest_state(output_folder(self.path))
        if file is None:
            raise UnreadableRun(
                self.path,
                told("{path} is gone: its {name} was there and has been removed", path=self.path, name=STATE_FILE),
            )
        found = file.stat()
        seen = (file, found.st_ino, found.st_size, found.st_mtime_ns)
        if self._last is None or seen != self._seen:
            self._last, self._seen = self._read(file, found.st_mtime), seen
        return self._last

    def _read(self, file: Path, written: float) -> Recording:
        try:
            state = parse_row(read_whole(file))
        except OSError as error:
            raise UnreadableRun(
                self.path, told("{file} cannot be read: {why}", file=file, why=error.strerror)
            ) from error
        if state is None or not isinstance(state.get(HISTORY_KEY), list):
            if self._last is not None:  # a Trainer writes in place: complete at the next poll
                return self._last
            raise UnreadableRun(
                self.path,
                told("{file} is no state of a transformers Trainer: it holds no {key}", file=file, key=HISTORY_KEY),
            )
        points = history_points(state[HISTORY_KEY])
        step = as_whole(state.get("global_step"))
        return Recording(
            path=self.path,
            sources=(Source("trainer-state", file),),
            run_id=str(resolved(self.path).name),
            name=run_name(self.path if self.path.is_dir() else self.path.parent),
            tags=points.rows.columns.series(),
            text={CARD_FILE: model_card(output_folder(file.parent) / STATE_FILE)},
            status=Status(state="unknown", step=step, total=as_whole(state.get("max_steps")), last_written=written),
            created=None,
            malformed=points.misfits,
        )


class HistoryPoints(NamedTuple):
    """The points of a log history; `misfits` counts rows without a step. `has_ended`: its last row says so."""

    rows: Rows
    misfits: int
    has_ended: bool


def history_points(history: Iterable[Any], axis: str = "step") -> HistoryPoints:
    """The points in the rows of a history, at the steps in the column `axis`."""
    rows, misfits, has_ended = Rows(), 0, False
    for row in history:
        step = whole_step(row.get(axis)) if isinstance(row, dict) else None
        if step is None:
            misfits += 1
            continue
        has_ended = SUMMARY_KEY in row
        rows.last_step = max(step, rows.last_step or 0)
        if not has_ended:
            for name, value in _metrics(row, axis):
                rows.add(name, value, step, 0.0)
    return HistoryPoints(rows, misfits, has_ended)


def _metrics(row: Row, axis: str) -> Iterator[tuple[str, Any]]:
    """Values under the names that the Trainer's trackers use: `eval_x` becomes `eval/x`."""
    for name, value in row.items():
        if name != axis:
            yield (f"eval/{name.removeprefix('eval_')}" if name.startswith("eval_") else name), value


def _checkpoints(home: Path) -> Iterator[tuple[Path, re.Match[str]]]:
    for path in home.glob("checkpoint-*"):
        if match := _CHECKPOINT.fullmatch(path.name):
            yield path, match
