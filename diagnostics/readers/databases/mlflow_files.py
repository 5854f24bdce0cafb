"""Reads MLflow's file store: a folder per run, with a file per metric and per parameter.

`mlruns/EXPERIMENT/RUN/metrics/NAME` holds lines of time (ms), value and step; `meta.yaml` describes the run.
"""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from diagnostics.foreign_files import read_head, read_text
from diagnostics.model.recording import Recording, Source
from diagnostics.model.samples import Samples
from diagnostics.model.status import Status
from diagnostics.readers.base import RunRef, UnreadableRun
from diagnostics.readers.columns import Columns
from diagnostics.readers.databases.mlflow import MILLISECOND, parse_parameter, seconds
from diagnostics.readers.files.json_lines import as_whole
from diagnostics.readers.files.text_lines import TextLines
from diagnostics.readers.rows import LARGEST_STEP
from diagnostics.readers.run_folder import flat_yaml
from diagnostics.told import told

META, METRICS, PARAMETERS = "meta.yaml", "metrics", "params"
MAX_META_BYTES = 1 << 16
_STATES = {1: "running", 2: "queued", 3: "finished", 4: "failed", 5: "stopped"}  # mlflow.entities.RunStatus


def runs_in(folder: Path) -> tuple[RunRef, ...]:
    """The folder, if its `meta.yaml` describes a run; experiments and deleted runs are left out."""
    meta = _read_meta(folder)
    if not meta or "run_id" not in meta or meta.get("lifecycle_stage") == "deleted":
        return ()
    return (RunRef(folder, "mlflow-files", _name(meta)),)


def start_time(path: Path) -> float | None:
    """When the run began, according to its `meta.yaml`."""
    return seconds((_read_meta(path) or {}).get("start_time"))


class Reader:
    """Follows the files of one run."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._log = _Log(path)
        self._last: Recording | None = None

    def refresh(self) -> Recording:
        """The run's current Recording; the same object as the last call if nothing changed. Raises UnreadableRun."""
        meta = _read_meta(self.path)
        if meta is None:
            raise UnreadableRun(
                self.path, told("{path} is gone: its {name} was there and has been removed", path=self.path, name=META)
            )
        if self._log.was_replaced:
            self._log, self._last = _Log(self.path), None
        grew = self._log.read()
        state = _STATES.get(as_whole(meta.get("status")) or 0, "unknown")
        if self._last is None or grew or state != self._last.status.state:
            self._last = self._record(meta, state)
        return self._last

    def files(self) -> tuple[Path, ...]:
        """The run's description, metrics and parameters, with the folders they are in."""
        parts = (self.path / METRICS, self.path / PARAMETERS)
        return (self.path / META, *parts, *sorted(path for part in parts for path in part.rglob("*")))

    def name(self) -> str:
        """Empty: the run's name is in its `meta.yaml`."""
        return ""

    def sample_index(self) -> None:
        """Nothing: MLflow keeps no samples."""

    def samples_of(self, index: None) -> Samples:
        """No samples."""
        return Samples()

    def _record(self, meta: dict[str, Any], state: str) -> Recording:
        log = self._log
        return Recording(
            path=self.path,
            sources=(Source("mlflow-files", self.path),),
            run_id=str(meta.get("run_id") or self.path.name),
            name=_name(meta),
            tags=log.columns.series(),
            config=dict(_parameters(self.path / PARAMETERS)),
            status=Status(state=state, step=log.last_step, last_written=log.last_written),
            created=seconds(meta.get("start_time")),
            malformed=log.malformed,
            notes=tuple(log.notes()),
        )


class _Log:
    """What was read of one run's metrics so far."""

    def __init__(self, folder: Path) -> None:
        self.columns = Columns()
        self._misfits = 0
        self.last_step: int | None = None
        self._folder = folder / METRICS
        self._files: dict[Path, TextLines] = {}

    @property
    def was_replaced(self) -> bool:
        return any(lines.tail.was_replaced for lines in self._files.values())

    @property
    def last_written(self) -> float | None:
        """When a metric was last written, in seconds since the epoch."""
        return max((file.stat().st_mtime for file in self._files if file.exists()), default=None)

    @property
    def malformed(self) -> int:
        """Lines that are no point, or longer than the bound."""
        return self._misfits + sum(lines.too_long for lines in self._files.values())

    def notes(self) -> Iterator[str]:
        """Sentences about what a bound left out."""
        return (note for lines in self._files.values() for note in lines.notes())

    def read(self) -> bool:
        """Read what was appended; False if nothing was."""
        before = self._offset
        for file in sorted(path for path in self._folder.rglob("*") if path.is_file()):
            tag = file.relative_to(self._folder).as_posix().encode(errors="replace").decode()
            for line in self._files.setdefault(file, TextLines(file)).lines():
                self._take(tag, line)
        return self._offset != before

    @property
    def _offset(self) -> int:
        return sum(lines.tail.offset for lines in self._files.values())

    def _take(self, tag: str, line: str) -> None:
        """One line: time, value, step and, in newer versions, the data set; the first versions wrote no step."""
        moment, *rest = line.split()
        try:
            value, step = float(rest[0]), int(rest[1]) if len(rest) > 1 else 0
            time = int(moment) * MILLISECOND
        except (ValueError, IndexError, OverflowError):
            self._misfits += 1
            return
        if not -LARGEST_STEP <= step < LARGEST_STEP:
            self._misfits += 1
            return
        self.columns.add(tag, step, value, time)
        self.last_step = max(step, self.last_step or 0)


def _parameters(folder: Path) -> Iterator[tuple[str, Any]]:
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        name = file.relative_to(folder).as_posix()
        with suppress(OSError):
            yield name.encode(errors="replace").decode(), parse_parameter(read_text(file, errors="replace"))


def _read_meta(folder: Path) -> dict[str, Any] | None:
    try:
        return flat_yaml(read_head(folder / META, MAX_META_BYTES).decode("utf-8", "replace"))
    except OSError:
        return None


def _name(meta: dict[str, Any]) -> str:
    return str(meta.get("run_name") or meta.get("name") or meta["run_id"])
