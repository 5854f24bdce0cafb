"""Reads a log history as JSON: rows of a training, or its columns, in a file of any name.

It is what `json.dump(trainer.state.log_history, file)` leaves, and what many scripts write at the end of a training.
"""

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

from diagnostics.foreign_files import read_head, read_whole
from diagnostics.foreign_files.documents import check_depth
from diagnostics.foreign_files.folders import files_in
from diagnostics.model.recording import Recording, Source
from diagnostics.model.status import Status
from diagnostics.readers.base import RunRef
from diagnostics.readers.files.json_lines import as_whole, parse_row, parse_value
from diagnostics.readers.single_file import name_of
from diagnostics.readers.tables.json_history import rows_in
from diagnostics.readers.tables.metric_rows import (
    LEAST_COUNTED,
    are_counted_rows,
    counted_by,
    flat_row,
    is_metric_row,
    step_column,
)
from diagnostics.readers.tables.trainer_state import HISTORY_KEY, STATE_FILE, history_points
from diagnostics.readers.whole_file import WholeFileReader, seen

MARK = "*.json"
STEP = "step"  # counted, where no row names its own
HEAD_BYTES = 1 << 20  # of a file that are searched for its first row, or for what a training logs
MOST_BYTES = 1 << 24  # of a file that is read to find rows in it; a Trainer's own may be larger
MOST_FILES = 1 << 15  # whose classification is remembered
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_SPACE = b" \t\r\n"
_NAMED = rb'"(?:score|[^"\n]{0,80}(?:reward|loss|kl|return)[^"\n]{0,80})"\s{0,80}:\s{0,80}'
_ROW = re.compile(rb"(?i)" + _NAMED + rb'(?:\{\s{0,80}"[^"\n]{0,80}"\s{0,80}:\s{0,80})?[-\d.NI]')
_COLUMN = re.compile(rb"(?i)" + _NAMED + rb"\[\s{0,80}[-\d.NI]")
_LIST_OF_ROWS = re.compile(rb"(?:^|:)\s{0,80}\[\s{0,80}\{")
ROW_BYTES = 4000  # of the first row of a list, in which a training's name stands
MOST_LISTS = 100


def runs_in(folder: Path) -> tuple[RunRef, ...]:
    """Every JSON file directly in the folder that holds the rows of a training."""
    files = [file for file in files_in(folder, MARK) if file.name != STATE_FILE and _is_history(file)]
    return tuple(RunRef(file, "log-history", name_of(file), folder) for file in files)


def start_time(path: Path) -> float | None:
    """Unknown: rows have no time."""


def _is_history(file: Path) -> bool:
    try:
        return _holds_history(file, *seen(file))
    except OSError:  # gone just now, or not ours to read
        return False


@lru_cache(MOST_FILES)
def _holds_history(file: Path, inode: int, size: int, changed: int) -> bool:
    """Whether a file begins as a history does; an unchanged file is not read again."""
    head = read_head(file, HEAD_BYTES).removeprefix(_BYTE_ORDER_MARK).lstrip(_SPACE)
    if head.startswith(b"[") and is_metric_row(_first_object(head[1:])):
        return True
    if head.startswith(b"{") and (f'"{HISTORY_KEY}"'.encode() in head or _are_lines(head)):
        return True
    return size <= MOST_BYTES and _may_hold_rows(head) and bool(rows_in(_document(read_whole(file))))


def _are_lines(head: bytes) -> bool:
    """Whether a file begins with rows of metrics as JSON lines."""
    first, _, rest = head.partition(b"\n")
    row, second = parse_row(first), parse_row(rest.partition(b"\n")[0])
    return row is not None and is_metric_row(row) and second is not None


def _may_hold_rows(head: bytes) -> bool:
    """Whether a document may hold a training's rows or columns: most, as tokenizers of 16 MB, need not be parsed."""
    if not head.startswith((b"[", b"{")):
        return False
    lists = islice(_LIST_OF_ROWS.finditer(head), MOST_LISTS)
    rows = (head[found.end() : found.end() + ROW_BYTES].partition(b"]")[0] for found in lists)
    return _COLUMN.search(head) is not None or any(map(_ROW.search, rows))


def _first_object(text: bytes) -> Mapping[str, Any]:
    """The JSON object that a text begins with; an empty one if it does not."""
    words = text.lstrip(_SPACE).decode("utf-8", "replace")
    try:
        found, end = json.JSONDecoder().raw_decode(words)
        check_depth(found, words[:end])
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


class Reader(WholeFileReader):
    """Reads one history."""

    kind = "log history: rows of a training as JSON"

    def __init__(self, path: Path) -> None:
        super().__init__(path, path)

    def to_recording(self, content: bytes, written: float) -> Recording | None:
        document = _document(content)
        rows = [flat_row(row) if isinstance(row, dict) else row for row in rows_in(document)]
        objects = [row for row in rows if isinstance(row, dict)]
        axis = next((step_column(row) for row in objects if is_metric_row(row)), None)
        if axis is None and not are_counted_rows(objects[:LEAST_COUNTED]):
            return None
        counted = rows if axis else [{**row, STEP: step} for step, row in enumerate(objects, start=1)]
        points = history_points(counted, axis or STEP)
        state = document if isinstance(document, dict) else {}
        return Recording(
            path=self.path,
            sources=(Source("log-history", self.path),),
            run_id=self.path.stem,
            name=name_of(self.path),
            tags=points.rows.columns.series(),
            status=Status(
                state="finished" if points.has_ended else "unknown",
                step=points.rows.last_step,
                total=as_whole(state.get("max_steps")),
                last_written=written,
            ),
            malformed=points.misfits,
            notes=(counted_by(axis), *points.rows.notes()),
        )


def _document(content: bytes) -> Any:
    text = content.removeprefix(_BYTE_ORDER_MARK)
    try:
        return parse_value(text)
    except ValueError:
        return [parse_row(line) for line in text.splitlines()] if _are_lines(text) else None
