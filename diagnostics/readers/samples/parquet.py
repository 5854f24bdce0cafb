"""Reads parquet files whose rows are completions of all steps, with the step in a column.

The step column is read at once, the rows of a step on demand.
"""

from collections import Counter
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from diagnostics.foreign_files.folders import files_in
from diagnostics.model.recording import Recording, Source
from diagnostics.model.samples import Sample, Samples
from diagnostics.model.status import Status
from diagnostics.readers.base import RunRef, UnreadableRun
from diagnostics.readers.files import parquet
from diagnostics.readers.run_folder import run_name
from diagnostics.readers.samples.completions import is_step_file
from diagnostics.readers.samples.cut_steps import beyond_count
from diagnostics.readers.samples.tables import STEP_COLUMNS, is_sample_table, step_of, to_samples
from diagnostics.told import told

_EVAL_NAMES = ("val", "eval")


def runs_in(folder: Path) -> tuple[RunRef, ...]:
    """Every parquet file directly in the folder whose first row is a completion and names its step."""
    files = (path for path in files_in(folder, "*.parquet") if not is_step_file(path))
    return tuple(RunRef(file, "samples-parquet", _name(file), folder) for file in files if _step_column(file))


def start_time(path: Path) -> float | None:
    """Unknown: the rows contain no times."""


class Reader:
    """Reads one file, and rereads it once it was rewritten; until it is complete, the last version counts."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._seen: tuple[int, int] | None = None
        self._last: Recording | None = None

    def refresh(self) -> Recording:
        """The file's current Recording; the same object as the last call if nothing changed. Raises UnreadableRun."""
        try:
            found = self.path.stat()
        except OSError as error:
            raise UnreadableRun(
                self.path, told("{path} is gone: its samples were there and have been removed", path=self.path)
            ) from error
        seen = (found.st_ino, found.st_mtime_ns)
        if self._last is not None and seen == self._seen:
            return self._last
        if parquet.is_whole(self.path):
            self._last, self._seen = self._record(found.st_mtime), seen
        elif self._last is None:
            raise UnreadableRun(self.path, told("{path} {why}", path=self.path, why=parquet.NOT_WHOLE))
        return self._last

    def _record(self, written: float) -> Recording:
        name = _step_column(self.path) or ""
        taken = parquet.column(self.path, name)
        cells = Counter(cell for cell in taken.items if not isinstance(cell, list | dict))
        steps, counts = dict[int, Any](), Counter[int]()
        for cell, count in cells.items():
            if (step := step_of({"step": cell})) is not None:
                steps[step] = cell
                counts[step] += count
        return Recording(
            path=self.path,
            sources=(Source("samples-parquet", self.path),),
            run_id=self.path.stem,
            name=_name(self.path),
            tags={},
            samples=Samples(tuple(sorted(steps)), partial(load_samples, self.path, name, steps)),
            status=Status(state="unknown", step=max(steps, default=None), last_written=written),
            malformed=len(taken.items) - counts.total(),
            notes=(*taken.notes(self.path), *beyond_count(counts)),
        )


def load_samples(file: Path, name: str, cells: Mapping[int, Any], step: int) -> tuple[Sample, ...]:
    """The samples of one step in file order; none if the file is gone."""
    rows = parquet.rows_where(file, name, cells[step])
    return to_samples(rows, step, split="eval" if file.name.startswith(_EVAL_NAMES) else "train")


def _step_column(file: Path) -> str | None:
    """The column with the step of a completion; None if the file contains something else, or without pyarrow."""
    row = parquet.first_row(file)
    if row is None or not is_sample_table(row):
        return None
    return next(
        (name for name in row if name.lower() in STEP_COLUMNS and step_of({"step": row[name]}) is not None), None
    )


def _name(file: Path) -> str:
    return f"{run_name(file.parent)}/{file.stem}"
