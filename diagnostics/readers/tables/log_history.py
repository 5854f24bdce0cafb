"""Reads a log history as JSON: a list of rows with steps, or one under `log_history`, in a file of any name.

It is what `json.dump(trainer.state.log_history, file)` leaves, and what many scripts write at the end of a training.
"""

import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from diagnostics.foreign_files import read_head
from diagnostics.foreign_files.documents import check_depth
from diagnostics.foreign_files.folders import files_in
from diagnostics.model.recording import Recording, Source
from diagnostics.model.status import Status
from diagnostics.readers.base import RunRef
from diagnostics.readers.files.json_lines import as_whole, parse_value
from diagnostics.readers.single_file import name_of
from diagnostics.readers.tables.metric_rows import is_metric_row, step_column
from diagnostics.readers.tables.trainer_state import HISTORY_KEY, STATE_FILE, history_points
from diagnostics.readers.whole_file import WholeFileReader, seen
from diagnostics.told import told

MARK = "*.json"
HEAD_BYTES = 1 << 20  # of a file that are searched for its first row, or for the key
MOST_FILES = 1 << 15  # whose classification is remembered
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_SPACE = b" \t\r\n"


def runs_in(folder: Path) -> tuple[RunRef, ...]:
    """Every JSON file directly in the folder that is a list of rows with steps, or holds a log history."""
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
    if head.startswith(b"{"):
        return f'"{HISTORY_KEY}"'.encode() in head
    return head.startswith(b"[") and is_metric_row(_first_object(head[1:]))


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

    kind = "log history: a JSON list of rows with steps, or one under log_history"

    def __init__(self, path: Path) -> None:
        super().__init__(path, path)

    def to_recording(self, content: bytes, written: float) -> Recording | None:
        state = _state_in(content)
        rows = [row for row in state.get(HISTORY_KEY, ()) if isinstance(row, dict)]
        axis = next((step_column(row) for row in rows if is_metric_row(row)), None)
        if axis is None:
            return None
        points = history_points(state[HISTORY_KEY], axis)
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
            notes=(told("the column {column} counts the steps", column=axis), *points.rows.notes()),
        )


def _state_in(content: bytes) -> dict[str, Any]:
    """What a Trainer keeps in its state, of a document that is this state, or its history alone; {} for another."""
    try:
        found = parse_value(content.removeprefix(_BYTE_ORDER_MARK))
    except ValueError:
        return {}
    state = {HISTORY_KEY: found} if isinstance(found, list) else found
    is_state = isinstance(state, dict) and isinstance(state.get(HISTORY_KEY), list)
    return state if is_state else {}
