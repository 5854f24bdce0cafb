"""Reads CSV files exported from the W&B page: one panel per file, a column per run and metric.

The page draws sampled curves and exports what it draws, so logged points may be missing.
"""

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from diagnostics.foreign_files import open_regular, read_text
from diagnostics.foreign_files.bounds import LINE_BYTES
from diagnostics.foreign_files.folders import files_in
from diagnostics.model.recording import Recording, Source
from diagnostics.model.status import Status
from diagnostics.readers.base import RunRef, UnreadableRun
from diagnostics.readers.files import csv_lines
from diagnostics.readers.rows import LARGEST_STEP, Rows
from diagnostics.readers.samples.tables import number_of
from diagnostics.told import told

SEPARATOR = " - "
BOUNDS = ("__MIN", "__MAX")  # of points that the page aggregated
OWN_STEP = "_step"
AXIS = "Step"


class Column(NamedTuple):
    """One column of a panel, and the curve it belongs to."""

    place: int
    run: str
    metric: str


def runs_in(folder: Path) -> tuple[RunRef, ...]:
    """The runs of all panels in the folder, each at the first file that contains it."""
    found: dict[str, list[Path]] = {}
    for file in _exports(folder):
        for run in dict.fromkeys(column.run for column in _columns(_header(file))):
            found.setdefault(run, []).append(file)
    return tuple(
        RunRef(files[0] if len(found) == 1 else files[0] / run, "wandb-csv", run, files=tuple(files[1:]))
        for run, files in found.items()
    )


def start_time(path: Path) -> float | None:
    """Unknown: the panels contain no times."""


def is_export(file: Path) -> bool:
    """Whether a CSV is a panel: every column after the first is RUN - METRIC.

    What else it holds tells it from another table with such names: bounds, W&B's own step, or the page's own word for
    its axis.
    """
    header = _header(file) if file.suffix == ".csv" else []
    rest = header[1:]
    is_marked = header[:1] == [AXIS] or any(name.endswith((*BOUNDS, SEPARATOR + OWN_STEP)) for name in rest)
    return is_marked and bool(rest) and all(SEPARATOR in name for name in rest)


class Reader:
    """Reads one run of the panels in a folder, and rereads it if one of them changed."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = next((parent for parent in (path, *path.parents) if parent.is_file()), path)
        self._seen: tuple[tuple[Path, int, int], ...] = ()
        self._last: Recording | None = None

    def refresh(self) -> Recording:
        """The run's current Recording; the same object as the last call if nothing changed. Raises UnreadableRun."""
        if not self._file.is_file():
            raise UnreadableRun(
                self.path, told("{path} is gone: the export was there and has been removed", path=self.path)
            )
        files = tuple(_exports(self._file.parent))
        seen = tuple((file, file.stat().st_size, file.stat().st_mtime_ns) for file in files)
        if self._last is None or seen != self._seen:
            self._last, self._seen = self._record(files), seen
        return self._last

    def _record(self, files: Sequence[Path]) -> Recording:
        run, rows, misfits = self._run(), Rows(), 0
        ours = [file for file in files if any(column.run == run for column in _columns(_header(file)))]
        for file in ours:
            misfits += _take(file, run, rows)
        written = max((file.stat().st_mtime for file in ours), default=None)
        return Recording(
            path=self.path,
            sources=tuple(Source("wandb-csv", file) for file in ours),
            run_id=run,
            name=run,
            tags=rows.columns.series(),
            status=Status(state="unknown", step=rows.last_step, last_written=written),
            malformed=misfits,
            notes=("A W&B export holds the points that the page drew, which may be fewer than were logged",),
        )

    def _run(self) -> str:
        if self.path != self._file:
            return str(self.path.relative_to(self._file))
        names = {column.run for column in _columns(_header(self._file))}
        if len(names) != 1:
            raise UnreadableRun(
                self.path,
                told("{path} shows {count} runs; open one of them: {path}/RUN", path=self.path, count=len(names)),
            )
        return names.pop()


def _take(file: Path, run: str, rows: Rows) -> int:
    """Add a run's points from one panel; returns the number of rows without a step."""
    header, *lines = map(csv_lines.cells, _whole_lines(read_text(file, encoding="utf-8-sig", errors="replace")))
    columns = [column for column in _columns(header) if column.run == run]
    own = next((index for index, name in enumerate(header) if name == f"{run}{SEPARATOR}{OWN_STEP}"), None)
    misfits = 0
    for line in lines:
        cells = [(column.metric, line[column.place]) for column in columns if column.place < len(line)]
        points = [(metric, number) for metric, cell in cells if (number := _number(cell)) is not None]
        step = _step(line, own) if points else None
        misfits += bool(points) and step is None
        if step is not None:
            for metric, number in points:
                rows.columns.add(metric, step, number, 0.0)
            rows.last_step = max(step, rows.last_step or 0)
    return misfits


def _whole_lines(text: str) -> list[str]:
    """The lines; an unterminated last line counts only if its last cell is quoted, so that no number is cut short."""
    *lines, last = text.split("\n")
    return [*lines, last] if last.endswith('"') or not lines else lines


def _step(line: Sequence[str], own: int | None) -> int | None:
    """The integer on the panel's axis, else W&B's own count: the axis may be a time or an epoch."""
    for index in (0, own):
        cell = line[index] if index is not None and index < len(line) else ""
        number = _number(cell)
        if number is not None and math.isfinite(number) and number.is_integer() and abs(number) < LARGEST_STEP:
            return int(cell) if cell.strip().isdecimal() else int(number)
    return None


def _columns(header: Sequence[str]) -> Iterator[Column]:
    """The columns with a metric's values, without their bounds and W&B's own step."""
    for index, name in enumerate(header):
        run, separator, metric = name.rpartition(SEPARATOR)
        if index and separator and metric != OWN_STEP and not metric.endswith(BOUNDS):
            yield Column(index, run, metric)


def _exports(folder: Path) -> list[Path]:
    return [file for file in files_in(folder, "*.csv") if is_export(file)]


def _header(file: Path) -> list[str]:
    try:
        with open_regular(file) as lines:
            first = lines.readline(LINE_BYTES).decode("utf-8-sig", "replace")
    except OSError:
        return []
    return csv_lines.cells(first)


def _number(cell: str) -> float | None:
    try:
        return float(cell)
    except ValueError:
        return number_of(cell)
