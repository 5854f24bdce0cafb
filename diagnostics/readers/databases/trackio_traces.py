"""What trackio stores besides metrics: conversations, which become samples, and alerts, which become notes."""

import sqlite3
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from diagnostics.readers.databases.sqlite import columns
from diagnostics.readers.files.json_lines import Row, parse_row
from diagnostics.readers.samples.conversations import asked_and_answered

TOLD_ALERTS = 5
_NEEDED = {"run_name", "step", "key", "messages", "metadata"}


class Trace(NamedTuple):
    """One logged conversation: its row in the database, trackio's step count, and its key."""

    number: int
    counted: int
    key: str


def traces(database: sqlite3.Connection, run: str, after: int) -> Iterator[Trace]:
    """The conversations of a run after row `after`; none in databases from before trackio 0.25."""
    if not columns(database, "traces") >= _NEEDED:
        return
    query = "SELECT rowid, step, key FROM traces WHERE run_name = ? AND rowid > ? ORDER BY rowid"
    for number, counted, key in database.execute(query, (run, after)):
        if isinstance(counted, int):
            yield Trace(number, counted, str(key))


def trace_rows(database: sqlite3.Connection, numbers: Sequence[int]) -> list[Row]:
    """A sample-table row for each of these conversations, including its metadata."""
    rows: list[Row] = []
    for number in numbers:
        found = database.execute("SELECT messages, metadata FROM traces WHERE rowid = ?", (number,)).fetchone()
        messages, metadata = (_json(text) for text in found or (None, None))
        cells = asked_and_answered(messages)
        if cells:
            known = metadata if isinstance(metadata, dict) else {}
            rows.append({**{name: value for name, value in known.items() if name != "step"}, **cells})
    return rows


def alert_notes(database: sqlite3.Connection, run: str) -> tuple[str, ...]:
    """A sentence for each of a run's newest alerts, and one for all earlier ones."""
    if not {"run_name", "title", "step"} <= columns(database, "alerts"):
        return ()
    query = "SELECT title, text, step FROM alerts WHERE run_name = ? ORDER BY rowid DESC"
    found = database.execute(query, (run,)).fetchall()
    told = [
        f"trackio's alert {title!r}"
        + (f" at its step {step}" if step is not None else "")
        + (f": {text}" if text else "")
        for title, text, step in found[:TOLD_ALERTS]
    ]
    return (*told, *([f"{len(found) - TOLD_ALERTS} earlier alerts"] if len(found) > TOLD_ALERTS else []))


def _json(stored: Any) -> Any:
    """A JSON value, which trackio stores as bytes although the column is declared as text; None if there is none."""
    content = stored.encode(errors="replace") if isinstance(stored, str) else stored
    row = parse_row(b'{"value":%b}' % content) if isinstance(content, bytes) else None
    return row["value"] if row else None
