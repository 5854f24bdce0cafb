"""Reads folders created by `rlvitals import` from a run in the W&B cloud: a manifest, rows and tables.

`wandb-export.json` describes the run, `history.jsonl` contains every row it logged, `system.jsonl` a sample of the
system metrics, `files/` the tables. The manifest is written last; a folder without one is incomplete.
"""

import re
import time
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from diagnostics.foreign_files import read_text, read_whole
from diagnostics.model.recording import Recording, Source
from diagnostics.model.status import Status
from diagnostics.readers.base import RunRef, UnreadableRun
from diagnostics.readers.console_end import console_end
from diagnostics.readers.files.json_lines import JsonLines, Row, as_number, parse_row
from diagnostics.readers.samples.tables import reward_functions
from diagnostics.readers.wandb.history import WandbHistory
from diagnostics.told import told

MANIFEST, HISTORY, SYSTEM, FILES, CONSOLE = (
    "wandb-export.json",
    "history.jsonl",
    "system.jsonl",
    "files",
    "output.log",
)
REQUIREMENTS = "requirements.txt"
SCHEMA_VERSION = 1
_STATES = {"finished": "finished", "failed": "failed", "crashed": "died", "killed": "stopped", "preempted": "stopped"}
_FRACTION = re.compile(r"\.\d+")


def runs_in(folder: Path) -> tuple[RunRef, ...]:
    """The folder, by its manifest."""
    manifest = _manifest(folder)
    return (RunRef(folder, "wandb-export", str(manifest.get("name") or folder.name)),) if manifest else ()


def start_time(path: Path) -> float | None:
    """When the run began, according to its manifest."""
    return _seconds((_manifest(path) or {}).get("created"))


class Reader:
    """Reads one fetched run, and rereads it after it was fetched again."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._seen: tuple[int, int] | None = None
        self._last: Recording | None = None

    def refresh(self) -> Recording:
        """The fetched run; the same object as the last call if nothing changed. Raises UnreadableRun."""
        try:
            found = (self.path / MANIFEST).stat()
        except OSError as error:
            raise UnreadableRun(
                self.path,
                told("{path} is gone: its {name} was there and has been removed", path=self.path, name=MANIFEST),
            ) from error
        manifest = _manifest(self.path)
        if manifest is None and self._last is not None:  # it is being fetched again: complete at the next poll
            return self._last
        if manifest is None:
            raise UnreadableRun(
                self.path,
                told("{file} is not the JSON of an imported run; import it again", file=self.path / MANIFEST),
            )
        seen = (found.st_ino, found.st_mtime_ns)
        if self._last is None or seen != self._seen:
            self._last, self._seen = self._record(manifest), seen
        return self._last

    def _record(self, manifest: Row) -> Recording:
        history, malformed, notes = _history(self.path)
        history.take_summary(_mapping(manifest.get("summary")))
        console, status = self.path / CONSOLE, _status(manifest, history.rows.last_step)
        return Recording(
            path=self.path,
            sources=(Source("wandb-export", self.path),),
            run_id=str(manifest.get("run_id") or self.path.name),
            name=str(manifest.get("name") or self.path.name),
            tags=history.rows.columns.series(),
            histograms=history.rows.histograms.by_tag(),
            config=_mapping(manifest.get("config")),
            text=_texts(self.path / FILES),
            samples=history.tables.snapshot(reward_functions(history.rows.columns.tags)),
            status=status,
            created=_seconds(manifest.get("created")),
            console=console if console.exists() else None,
            console_tail=console_end(console, status.state),
            malformed=malformed,
            notes=(
                told("Imported from {address}", address=manifest.get("address")),
                *history.rows.notes(),
                *history.tables.notes(),
                *notes,
            ),
        )


def _history(folder: Path) -> tuple[WandbHistory, int, tuple[str, ...]]:
    """The rows of a folder, how many of them are malformed, and what a bound left out."""
    history, rows, system = WandbHistory(), JsonLines(folder / HISTORY), JsonLines(folder / SYSTEM)
    for line in rows.lines():
        history.take(line.row, None, folder / FILES)
    for line in system.lines():
        measured = {name: value for name, value in line.row.items() if not name.startswith("_")}
        history.take_system(measured, as_number(line.row.get("_timestamp")) or 0.0)
    history.flush_system_samples()
    malformed = history.malformed + rows.malformed + system.malformed
    return history, malformed, (*rows.notes(), *system.notes())


def _status(manifest: Row, step: int | None) -> Status:
    """The run's state when it was fetched; one that was running then is silent here."""
    state = _STATES.get(str(manifest.get("state")), "silent")
    return Status(state=state, step=step, last_written=_seconds(manifest.get("last_written")) or time.time())


def _manifest(folder: Path) -> Row | None:
    try:
        return parse_row(read_whole(folder / MANIFEST))
    except OSError:
        return None


def _mapping(value: Any) -> Mapping[str, Any]:
    found = value if isinstance(value, dict) else {}
    return {name: inner for name, inner in found.items() if not name.startswith("_")}


def _texts(files: Path) -> dict[str, str]:
    try:
        return {REQUIREMENTS: read_text(files / REQUIREMENTS, errors="replace")}
    except OSError:
        return {}


def _seconds(text: Any) -> float | None:
    """An ISO date in seconds since the epoch."""
    try:
        return datetime.fromisoformat(_FRACTION.sub("", str(text)).replace("Z", "+00:00")).timestamp()
    except ValueError:
        return None
