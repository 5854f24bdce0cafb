"""Reads sample files: TRL's parquet per step, and other trainers' JSON lines, with one file or folder per step.

A step's files are opened on demand, so a run of ten thousand files opens as fast as one of ten; the largest alone is
looked at before, for what the bounds leave out of it.
"""

import re
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache, partial
from itertools import islice
from operator import attrgetter
from pathlib import Path

from diagnostics.foreign_files import open_regular, read_lines
from diagnostics.foreign_files.bounds import SAMPLE_ROWS, STEP_FILES
from diagnostics.foreign_files.folders import files_in, resolved
from diagnostics.model.recording import Recording, Source
from diagnostics.model.samples import Sample, Samples
from diagnostics.model.status import Status
from diagnostics.readers.base import RunRef, UnreadableRun
from diagnostics.readers.files import parquet
from diagnostics.readers.files.json_lines import Row, parse_row
from diagnostics.readers.run_folder import run_name
from diagnostics.readers.samples.cut_steps import StepFile, of_largest, of_largest_parquet
from diagnostics.readers.samples.tables import (
    ADVANTAGE_COLUMNS,
    SCORE_COLUMNS,
    completions_in,
    is_sample_table,
    to_samples,
)
from diagnostics.told import told

_NUMBERED = re.compile(
    r"(?:completions_|rollout_dump_data\.step_|(?:train|val)_data_step|)(?P<step>\d+)\.(?:parquet|jsonl)"
)
_STEP_FOLDER = re.compile(r"(?P<named>iteration_|global_step_)?(?P<step>\d+)(?:_evals)?")
"""A step's folder: `3` of AReaL, `iteration_3` of tinker-cookbook, `global_step_3_evals` of SkyRL."""
_EVAL_NAME = re.compile(r"val|eval|global_step_\d+_evals")
_SUMMARY = "aggregated_results.jsonl"
_AREAL_COLUMN = "head_version"  # a purely numeric name may mean anything: a seed, a checkpoint

Files = Mapping[int, tuple[Path, ...]]


def runs_in(folder: Path) -> tuple[RunRef, ...]:
    """The folder that holds a file per step, or the one that holds a folder per step, found at the first of these."""
    files = _numbered_files(folder)
    if files:
        return (_reference(folder),) if _holds_samples(next(iter(files.values()))[0]) else ()
    root = folder.parent
    if not _STEP_FOLDER.fullmatch(folder.name) or _first_step_folder(root, root.stat().st_mtime_ns) != folder:
        return ()
    return (_reference(root),)


def start_time(path: Path) -> float | None:
    """Unknown: the files contain no times."""


def step_files(folder: Path) -> Files:
    """The files of each step, by the number in their names or their folders' names."""
    return _numbered_files(folder) or {
        step: files for step, found in _step_folders(folder) if (files := _files_in(found))
    }


def is_step_file(file: Path) -> bool:
    """Whether a file's name says that it contains the completions of one step."""
    return _NUMBERED.fullmatch(file.name) is not None


def _reference(folder: Path) -> RunRef:
    return RunRef(folder, "completions", run_name(folder.parent), folder.parent)


def _numbered_files(folder: Path) -> Files:
    found: dict[int, list[Path]] = {}
    for path in files_in(folder, "*.parquet", "*.jsonl", most=STEP_FILES):
        if match := _NUMBERED.fullmatch(path.name):
            found.setdefault(int(match["step"]), []).append(path)
    return {step: tuple(found[step]) for step in sorted(found)}


def _step_folders(root: Path) -> list[tuple[int, Path]]:
    """The step folders directly in a folder, ordered by step."""
    matches = [(match, path) for path in root.iterdir() if (match := _STEP_FOLDER.fullmatch(path.name))]
    return sorted((int(match["step"]), path) for match, path in matches if path.is_dir())


def _files_in(folder: Path) -> tuple[Path, ...]:
    return tuple(path for path in files_in(folder, "*.jsonl") if path.name != _SUMMARY)


@lru_cache(maxsize=1024)
def _first_step_folder(root: Path, modified: int) -> Path | None:  # modified: looked at again once a folder is added
    """The first step folder with samples; discovery asks for every folder of the root, and this one answers for all."""
    for _, folder in _step_folders(root):
        match = _STEP_FOLDER.fullmatch(folder.name)
        needed = None if match and match["named"] else _AREAL_COLUMN
        if any(_holds_samples(file, needed) for file in _files_in(folder)[:1]):
            return folder
    return None


class Reader:
    """Follows a folder of sample files: a run with samples but no metrics of its own."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._last: Recording | None = None
        self._seen: tuple[StepFile, ...] = ()

    def refresh(self) -> Recording:
        """The run's current Recording; the same object as the last call if nothing changed. Raises UnreadableRun."""
        try:
            files = step_files(self.path)
            seen = tuple(StepFile.at(file) for found in files.values() for file in found)
        except OSError as error:
            raise UnreadableRun(
                self.path, told("{path} is gone: its samples were there and have been removed", path=self.path)
            ) from error
        if self._last is None or seen != self._seen:
            self._last, self._seen = self._record(files, seen), seen
        return self._last

    def _record(self, files: Files, seen: Sequence[StepFile]) -> Recording:
        last = max((file.written for file in seen), default=time.time_ns()) / 1e9
        largest = max(seen, key=attrgetter("size"), default=None)
        return Recording(
            path=self.path,
            sources=(Source("completions", self.path),),
            run_id=resolved(self.path).name,
            name=run_name(self.path.parent),
            tags={},
            samples=Samples(tuple(files), partial(load_samples, self.path, files)),
            status=Status(state="unknown", step=max(files, default=None), last_written=last),
            notes=_notes(self.path, largest) if largest else (),
        )


def load_samples(
    root: Path, files: Mapping[int, Sequence[Path]], step: int, reward_functions: frozenset[str] | None = None
) -> tuple[Sample, ...]:
    """The samples of one step in file order; none if a file is gone or incomplete."""
    found: list[Sample] = []
    for file in files[step]:
        rows = read_rows(file)
        functions = _numeric_columns(rows) if reward_functions is None else reward_functions
        is_eval = any(map(_EVAL_NAME.match, file.relative_to(root.parent).parts))
        found += to_samples(rows, step, functions, "eval" if is_eval else "train")
    return tuple(found)


def read_rows(file: Path) -> list[Row]:
    """The rows of a parquet or JSON-lines file, up to a bound; none if it cannot be read.

    Raises ImportError without pyarrow.
    """
    if file.suffix == ".parquet":
        return parquet.read_rows(file)
    return list(islice(_rows_of_lines(file), SAMPLE_ROWS))


def _rows_of_lines(file: Path) -> Iterator[Row]:
    with suppress(OSError):
        yield from (row for row in map(parse_row, read_lines(file)) if row is not None)


@lru_cache(maxsize=64)
def _notes(root: Path, largest: StepFile) -> tuple[str, ...]:
    """Sentences about what the bounds leave out of the largest file, which is looked at once for each of its states."""
    if largest.path.suffix == ".parquet":
        return tuple(of_largest_parquet(root, largest, parquet.fitting(largest.path)))
    return tuple(of_largest(root, largest, _completions_in))


def _completions_in(file: Path) -> int:
    return sum(map(completions_in, _rows_of_lines(file)))


def _numeric_columns(rows: Sequence[Row]) -> frozenset[str]:
    """Columns of decimal numbers other than the advantage: TRL's rewards of single functions."""
    kinds = {name for row in rows for name, value in row.items() if isinstance(value, float)}
    others = {name for row in rows for name, value in row.items() if not isinstance(value, float | None)}
    return frozenset(kinds - others - {*ADVANTAGE_COLUMNS, *SCORE_COLUMNS})


def _holds_samples(file: Path, column: str | None = None) -> bool:
    """Whether a file contains completions, and this column if one is named."""
    if file.suffix == ".parquet":
        return file.name.startswith("completions_")
    try:
        with open_regular(file) as lines:
            row = parse_row(lines.readline(1 << 20))
    except OSError:
        return False
    if row is None or (column is not None and column not in row):
        return False
    return is_sample_table(row) or bool({"content", "responses"} & row.keys())
