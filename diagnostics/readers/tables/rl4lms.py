"""Reads RL4LMs' own logs: a row per rollout, update and evaluation, numbered by their order.

`rollout_info.jsonl` and `training_info.jsonl` name no step: their n-th row belongs to the n-th iteration. The metrics
in `SPLIT_split_metrics.jsonl` name their epoch, which is an iteration too.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from diagnostics.foreign_files.documents import read_json
from diagnostics.foreign_files.folders import files_in, resolved
from diagnostics.model.recording import Recording, Source
from diagnostics.model.samples import Samples
from diagnostics.model.status import Status
from diagnostics.readers.base import RunRef, UnreadableRun
from diagnostics.readers.files.json_lines import JsonLines, as_whole
from diagnostics.readers.rows import Rows
from diagnostics.readers.run_folder import run_name
from diagnostics.told import told

ROLLOUTS, UPDATES, CONFIG = "rollout_info.jsonl", "training_info.jsonl", "config.json"
SPLIT_METRICS = "_split_metrics.jsonl"


def runs_in(folder: Path) -> tuple[RunRef, ...]:
    """The folder, if it contains a log of rollouts."""
    return (RunRef(folder, "rl4lms", run_name(folder), folder),) if (folder / ROLLOUTS).is_file() else ()


def start_time(path: Path) -> float | None:
    """Unknown: the rows contain no times."""


class Reader:
    """Follows the logs in one folder."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._log = _Log(path)
        self._last: Recording | None = None

    def refresh(self) -> Recording:
        """The run's current Recording; the same object as the last call if nothing changed. Raises UnreadableRun."""
        if not (self.path / ROLLOUTS).is_file():
            raise UnreadableRun(
                self.path,
                told("{path} is gone: its {name} was there and has been removed", path=self.path, name=ROLLOUTS),
            )
        if self._log.was_replaced:
            self._log, self._last = _Log(self.path), None
        if self._log.read() or self._last is None:
            self._last = self._record()
        return self._last

    def files(self) -> tuple[Path, ...]:
        """The logs, their folder and the settings."""
        logs = files_in(self.path, f"*{SPLIT_METRICS}")
        return (self.path, *(self.path / name for name in (ROLLOUTS, UPDATES, CONFIG)), *logs)

    def name(self) -> str:
        """The run's name, from its folder."""
        return run_name(self.path)

    def sample_index(self) -> None:
        """Nothing: its predictions are not read."""

    def samples_of(self, index: None) -> Samples:
        """No samples."""
        return Samples()

    def _record(self) -> Recording:
        log = self._log
        written = (self.path / ROLLOUTS).stat().st_mtime
        return Recording(
            path=self.path,
            sources=(Source("rl4lms", self.path),),
            run_id=resolved(self.path).name,
            name=run_name(self.path),
            tags=log.rows.columns.series(),
            config=_config(self.path / CONFIG),
            status=Status(state="unknown", step=log.rows.last_step, last_written=written),
            malformed=log.malformed,
            notes=(told("RL4LMs logs no step: the rows of a log are counted"), *log.rows.notes(), *log.notes()),
        )


class _Log:
    """What was read of the logs so far."""

    def __init__(self, folder: Path) -> None:
        self.rows = Rows(axes=())
        self._folder = folder
        self._files: dict[Path, JsonLines] = {}
        self._counts: dict[Path, int] = {}
        self._misfits = 0  # rows of an evaluation that name no epoch

    @property
    def was_replaced(self) -> bool:
        return any(lines.tail.was_replaced for lines in self._files.values())

    @property
    def malformed(self) -> int:
        return self._misfits + sum(lines.malformed for lines in self._files.values())

    def notes(self) -> Iterator[str]:
        """Sentences about what a bound left out."""
        return (note for lines in self._files.values() for note in lines.notes())

    def read(self) -> bool:
        """Read what was appended; False if nothing was."""
        before = self._offset
        for file in self._logs():
            for line in self._files.setdefault(file, JsonLines(file)).lines():
                self._take(file, line.row)
        return self._offset != before

    @property
    def _offset(self) -> int:
        return sum(lines.tail.offset for lines in self._files.values())

    def _logs(self) -> Iterator[Path]:
        yield from (file for name in (ROLLOUTS, UPDATES) if (file := self._folder / name).is_file())
        yield from files_in(self._folder, f"*{SPLIT_METRICS}")

    def _take(self, file: Path, row: Mapping[str, Any]) -> None:
        if file.name.endswith(SPLIT_METRICS):
            step, metrics = as_whole(row.get("epoch")), row.get("metrics")
            if step is None or not isinstance(metrics, dict):
                self._misfits += 1
                return
            split = file.name.removesuffix(SPLIT_METRICS)
            row = {f"{split}/{name}": value for name, value in metrics.items()}
        else:
            self._counts[file] = self._counts.get(file, 0) + 1
            step = self._counts[file] + self._files[file].malformed  # a broken row still counts as a row
            self.rows.last_step = max(step, self.rows.last_step or 0)
        for name, value in row.items():
            self.rows.add(name, value, step, 0.0)


def _config(file: Path) -> dict[str, Any]:
    try:
        found = read_json(file)
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
