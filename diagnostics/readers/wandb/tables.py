"""The sample tables of a W&B run: which file contains which step's completions, read on demand."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, NamedTuple

from diagnostics.foreign_files import FileTooLarge
from diagnostics.foreign_files.bounds import SAMPLE_ROWS, WHOLE_FILE_BYTES
from diagnostics.foreign_files.documents import read_json
from diagnostics.foreign_files.folders import leads_into
from diagnostics.model.samples import Sample, Samples
from diagnostics.readers.files.json_lines import as_whole
from diagnostics.readers.samples.tables import completions_in, is_sample_table, to_samples
from diagnostics.readers.wandb.unnamed_tables import unnamed_tables

INCREMENTAL = "incremental-table-file"
_EVAL_KEYS = ("eval", "val", "trajectories/eval")
Row = dict[str, Any]


class _Table(NamedTuple):
    """One logged table: its file, whose name contains the content's hash, and the table logged before it."""

    file: Path
    split: str
    earlier: Path | None


class WandbTables:
    """Every table that a run logged, by step.

    A step may have several under one key: TRL logs an evaluation's completions beside those of training, and the newest
    table again when the training ends, which counts once.
    """

    def __init__(self) -> None:
        self._tables: dict[int, list[_Table]] = {}
        self._newest: dict[str, Path] = {}
        self._named: set[Path] = set()
        self._largest: tuple[int, _Table] | None = None  # with its bytes
        self._longest: tuple[int, _Table] | None = None  # with its rows

    def add(self, key: str, step: int, files: Path, value: Mapping[str, Any], is_eval: bool = False) -> None:
        """Register a table; `files` is the folder that its path is relative to. Paths that leave it are ignored.

        Args:
            is_eval: Whether the trainer was evaluating when it logged the table.
        """
        path = value.get("path")
        if not isinstance(path, str):
            return
        file = files / path
        self._named.add(file)
        if not leads_into(file, files) or self._holds(step, key, file):
            return
        earlier = None if value["_type"] == INCREMENTAL else self._newest.get(key)
        split = "eval" if is_eval or key.startswith(_EVAL_KEYS) else "train"
        table = _Table(file, split, earlier)
        self._tables.setdefault(step, []).append(table)
        self._newest[key] = file
        self._largest = _larger(self._largest, as_whole(value.get("size")), table)
        self._longest = _larger(self._longest, as_whole(value.get("nrows")), table)

    def with_unnamed(self, folders: Iterable[Path], step_at: Callable[[int], int]) -> "WandbTables":
        """These, and the tables in the run's folders that none of its rows names, at the step of W&B's count."""
        found = WandbTables()
        found._tables = {step: list(tables) for step, tables in self._tables.items()}
        found._newest, found._largest, found._longest = dict(self._newest), self._largest, self._longest
        for files in folders:
            for table in unnamed_tables(files, self._named):
                found.add(table.key, step_at(table.counted), files, table.declared(files))
        return found

    def notes(self) -> Iterator[str]:
        """Sentences about what the bounds leave out of the largest table, and of the one with most rows."""
        if self._largest and self._largest[0] > WHOLE_FILE_BYTES:
            size, table = self._largest
            too_large = FileTooLarge(table.file, size, WHOLE_FILE_BYTES)
            yield f"{table.file.name}, the largest table, cannot be read: {too_large.strerror}"
        if self._longest and self._longest[0] > SAMPLE_ROWS and (held := _count(self._longest[1])) > SAMPLE_ROWS:
            name = f"{self._longest[1].file.name}, the longest table,"
            yield f"the first {SAMPLE_ROWS:,} completions of {name} are read (of {held:,})"

    def index(self) -> list[Any]:
        """The tables so far, as JSON-serialisable data."""
        return [[step, [_cell_texts(table) for table in found]] for step, found in self._tables.items()]

    def restore(self, index: list[Any]) -> None:
        """Adopt a stored index."""
        self._tables = {step: [_table(*held) for held in found] for step, found in index}

    def snapshot(self, reward_functions: frozenset[str]) -> Samples:
        """The samples so far."""
        tables = {step: tuple(found) for step, found in self._tables.items()}
        return Samples(tuple(sorted(tables)), partial(_load, tables, reward_functions))

    def _holds(self, step: int, key: str, file: Path) -> bool:
        """Whether the step already has this very content: W&B names a file KEY_COUNT_HASH.table.json."""
        newest = self._newest.get(key)
        is_same = newest is not None and _content_hash(newest) == _content_hash(file)
        return is_same and any(table.file == newest for table in self._tables.get(step, ()))


def _cell_texts(table: _Table) -> list[str | None]:
    return [str(table.file), table.split, str(table.earlier) if table.earlier else None]


def _table(file: str, split: str, earlier: str | None) -> _Table:
    return _Table(Path(file), split, Path(earlier) if earlier else None)


def _load(tables: Mapping[int, Sequence[_Table]], functions: frozenset[str], step: int) -> tuple[Sample, ...]:
    found: list[Sample] = []
    for table in tables[step]:
        found += to_samples(_new_rows(table), step, functions, table.split)
    return tuple(found)


def _larger(known: tuple[int, _Table] | None, size: int | None, table: _Table) -> tuple[int, _Table] | None:
    return (size, table) if size is not None and (known is None or size > known[0]) else known


@lru_cache(maxsize=16)
def _count(table: _Table) -> int:
    """How many completions a table adds; its file's name contains the content's hash, so that it never changes."""
    return sum(map(completions_in, _new_rows(table)))


def _new_rows(table: _Table) -> list[Row]:
    rows = read_table(table.file)
    return _without_beginning(rows, read_table(table.earlier)) if table.earlier else rows


def _content_hash(file: Path) -> str:
    return file.name.removesuffix(".table.json").rpartition("_")[2]


def read_table(file: Path) -> list[Row]:
    """The rows of a `.table.json` with completions; none if it contains something else or cannot be read."""
    try:
        table = read_json(file)
        columns = [str(name) for name in table["columns"]]
        rows = [dict(zip(columns, row, strict=True)) for row in table["data"]]
    except (OSError, ValueError, KeyError, TypeError):
        return []
    return rows if is_sample_table(columns) else []


def _without_beginning(rows: list[Row], earlier: list[Row]) -> list[Row]:
    """The new rows of a table: producers that log one growing table repeat the earlier rows each time."""
    is_continued = 0 < len(earlier) < len(rows) and json.dumps(rows[: len(earlier)]) == json.dumps(earlier)
    return rows[len(earlier) :] if is_continued else rows
