"""The reader of sample files: TRL's parquet of each step, and the JSON lines of other trainers, one file a step.

A step's file is opened when its samples are asked for, so ten thousand files open as fast as ten.
"""

import re
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from diagnostics.readers import RunRef, UnreadableRun
from diagnostics.readers.jsonlines import Row, parse_row
from diagnostics.readers.sample_tables import is_sample_table, to_samples
from diagnostics.readers.surroundings import run_name
from diagnostics.run import Recording, Sample, Samples, Source, Status

INSTALL = "TRL's completions are parquet files; install what reads them with: pip install 'rlvitals[parquet]'"
_NUMBERED = re.compile(
    r"(?:completions_|rollout_dump_data\.step_|train_data_step|(?P<eval>val_data_step)|)(?P<step>\d+)\.(?:parquet|jsonl)"
)
_EVAL_FOLDER = re.compile(r"val|eval")


def runs_in(folder: Path) -> tuple[RunRef, ...]:
    """The folder, where it holds a step's completions in a file of its own."""
    files = step_files(folder)
    if not files or not _holds_samples(next(iter(files.values()))[0]):
        return ()
    return (RunRef(folder, "completions", run_name(folder.parent), folder.parent),)


def started(path: Path) -> float | None:
    """Unknown: the files hold no times."""


def step_files(folder: Path) -> dict[int, tuple[Path, ...]]:
    """The files of each step, by the number in their names."""
    found: dict[int, list[Path]] = {}
    for path in sorted(folder.iterdir()):
        match = _NUMBERED.fullmatch(path.name)
        if match and path.is_file():
            found.setdefault(int(match["step"]), []).append(path)
    return {step: tuple(found[step]) for step in sorted(found)}


class Reader:
    """Follows a folder of sample files: a run that has samples and no metrics of its own."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._last: Recording | None = None
        self._names: tuple[tuple[Path, int], ...] = ()

    def refresh(self) -> Recording:
        """All that the run holds by now; the object of the last call when nothing changed. Raises UnreadableRun."""
        try:
            files = step_files(self.path)
            names = tuple((file, file.stat().st_mtime_ns) for found in files.values() for file in found)
        except OSError as error:
            raise UnreadableRun(
                self.path, f"{self.path} is gone: its samples were there and have been removed"
            ) from error
        if self._last is None or names != self._names:
            self._last, self._names = self._record(files), names
        return self._last

    def _record(self, files: Mapping[int, tuple[Path, ...]]) -> Recording:
        last = max((file.stat().st_mtime for found in files.values() for file in found), default=time.time())
        return Recording(
            path=self.path,
            sources=(Source("completions", self.path),),
            run_id=self.path.resolve().name,
            name=run_name(self.path.parent),
            tags={},
            samples=Samples(tuple(files), partial(load_samples, files)),
            status=Status(state="unknown", step=max(files, default=None), last_written=last),
        )


def load_samples(
    files: Mapping[int, Sequence[Path]], step: int, reward_functions: frozenset[str] | None = None
) -> tuple[Sample, ...]:
    """The samples of one step, in file order; none where a file is gone or not whole yet."""
    found: list[Sample] = []
    for file in files[step]:
        rows = read_rows(file)
        functions = _numeric_columns(rows) if reward_functions is None else reward_functions
        is_eval = file.name.startswith("val") or _EVAL_FOLDER.match(file.parent.name)
        found += to_samples(rows, step, functions, "eval" if is_eval else "train")
    return tuple(found)


def read_rows(file: Path) -> list[Row]:
    """Every row of a parquet or JSON-lines file; none where it cannot be read. Raises ImportError without pyarrow."""
    if file.suffix == ".parquet":
        return list(_parquet_rows(file))
    try:
        rows = map(parse_row, file.read_bytes().split(b"\n"))
    except OSError:
        return []
    return [row for row in rows if row is not None]


def _parquet_rows(file: Path) -> Iterator[Row]:
    try:
        import pyarrow  # noqa: PLC0415 - heavy, and only this format needs it
        import pyarrow.parquet  # noqa: PLC0415
    except ImportError as error:
        raise ImportError(INSTALL) from error
    try:
        rows: list[dict[str, Any]] = pyarrow.parquet.ParquetFile(file).read().to_pylist()
    except (OSError, pyarrow.ArrowException):  # gone, or still being written
        return
    yield from rows


def _numeric_columns(rows: Sequence[Row]) -> frozenset[str]:
    """Columns of decimal numbers beside the advantage: TRL writes each reward function's rewards so."""
    kinds = {name for row in rows for name, value in row.items() if isinstance(value, float)}
    others = {name for row in rows for name, value in row.items() if not isinstance(value, float | None)}
    return frozenset(kinds - others - {"advantage", "advantages", "score", "scores", "reward", "rewards"})


def _holds_samples(file: Path) -> bool:
    if file.suffix == ".parquet":
        return file.name.startswith("completions_")
    try:
        with file.open("rb") as lines:
            row = parse_row(lines.readline(1 << 20))
    except OSError:
        return False
    return row is not None and (is_sample_table(row) or bool({"content", "responses"} & row.keys()))
