"""The journal of alerts: what has been told of each run, in the user's data folder, shared by all who watch.

What is told is written down before it is sent: after a crash an alert may be missing, but none comes twice.
"""

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from diagnostics.alerts.episodes import Event, Told
from diagnostics.language import _
from diagnostics.model.run import Run
from diagnostics.user_data import user_data_folder

_PATIENCE = 10.0  # seconds to wait for another process that writes
_SCHEMA = "CREATE TABLE IF NOT EXISTS told (run TEXT PRIMARY KEY, said TEXT NOT NULL) WITHOUT ROWID"


class JournalError(Exception):
    """The journal cannot be read or written; the message is one sentence."""


@dataclass(frozen=True, slots=True)
class Journal:
    """The journal in one file."""

    place: Path

    @classmethod
    def of_user(cls) -> "Journal":
        """That of the user who runs this process."""
        return cls(user_data_folder() / "alerts.sqlite")

    def advance(self, run: Run, step: Callable[[Told | None], tuple[list[Event], Told]]) -> list[Event]:
        """Replace what has been told of a run by what `step` makes of it, and return what else `step` gives.

        No other process comes between. Raises JournalError.
        """
        key = f"{run.path.resolve()} {run.run_id}"
        with self._changing() as database:
            row = database.execute("SELECT said FROM told WHERE run = ?", (key,)).fetchone()
            before = _told(row[0]) if row else None
            found, after = step(before)
            if after != before:
                database.execute("INSERT OR REPLACE INTO told VALUES (?, ?)", (key, json.dumps(after.to_json())))
        return found

    @contextmanager
    def _changing(self) -> Iterator[sqlite3.Connection]:
        try:
            self.place.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(self.place, timeout=_PATIENCE, isolation_level=None)) as database:
                database.execute(_SCHEMA)
                database.execute("BEGIN IMMEDIATE")
                yield database
                database.execute("COMMIT")
        except (sqlite3.Error, OSError) as error:
            sentence = _("what was told cannot be kept in {file}: {error}")
            raise JournalError(sentence.format(file=self.place, error=error)) from error


def _told(text: str) -> Told | None:
    try:
        return Told.of_json(json.loads(text))
    except (ValueError, KeyError, TypeError):  # of another version
        return None
