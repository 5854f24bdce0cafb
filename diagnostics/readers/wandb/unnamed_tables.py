"""Tables of completions in a W&B run's folder that no row of its history names: it died before the row was written.

W&B writes a table at once and its row with the next one, and names the file `KEY_COUNT_HASH.table.json`. A key with a
slash is a folder.
"""

import json
import re
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from diagnostics.foreign_files import open_regular
from diagnostics.foreign_files.bounds import SAMPLE_ROWS, STEP_FILES
from diagnostics.foreign_files.folders import files_in, folders_in
from diagnostics.readers.samples.tables import is_sample_table

TABLES = Path("media", "table")
MARK = "*.table.json"
DEEPEST = 4  # folders
HEAD_BYTES = 1 << 14  # in which the names of the columns stand
_NAME = re.compile(r"(?P<key>.{1,200})_(?P<count>\d{1,18})_[0-9a-f]{6,64}\.table\.json", re.DOTALL)
_COLUMNS = re.compile(r'\s*\{\s*"columns":\s*(?=\[)')
_LEAST_ROW = 6  # bytes: `["a"],`


class UnnamedTable(NamedTuple):
    """A table in a folder; `counted` is W&B's own count of the row that was to name it."""

    key: str
    counted: int
    file: Path
    size: int

    def declared(self, files: Path) -> dict[str, Any]:
        """What its row would have said of it, as far as its file tells: at most so many rows."""
        rows = self.size // _LEAST_ROW
        longest = {"nrows": rows} if rows > SAMPLE_ROWS else {}
        return {"_type": "table-file", "path": str(self.file.relative_to(files)), "size": self.size, **longest}


def unnamed_tables(files: Path, named: AbstractSet[Path]) -> Iterator[UnnamedTable]:
    """The tables of completions in a run's folder of files, but for the named ones, in the order of W&B's count."""
    found = [table for file in _tables_below(files / TABLES, DEEPEST) if (table := _table(file, files, named))]
    yield from sorted(found, key=lambda table: (table.counted, table.key))


def _tables_below(folder: Path, depth: int) -> Iterator[Path]:
    yield from files_in(folder, MARK, most=STEP_FILES)
    if depth:
        for below in folders_in(folder):
            yield from _tables_below(below, depth - 1)


def _table(file: Path, files: Path, named: AbstractSet[Path]) -> UnnamedTable | None:
    match = _NAME.fullmatch(file.name) if file not in named else None
    try:
        size = file.stat().st_size if match else 0
    except OSError:  # gone just now
        return None
    if match is None or not _has_completions(file, size):
        return None
    key = file.parent.relative_to(files / TABLES) / match["key"]
    return UnnamedTable(key.as_posix(), int(match["count"]), file, size)


@lru_cache(maxsize=1 << 12)
def _has_completions(file: Path, size: int) -> bool:
    """Whether the names of a table's columns are those of completions; the file is never written again."""
    try:
        with open_regular(file) as content:
            head = content.read(HEAD_BYTES).decode("utf-8", "replace")
        begins = _COLUMNS.match(head)
        columns = json.JSONDecoder().raw_decode(head, begins.end())[0] if begins else []
    except (OSError, ValueError, RecursionError):
        return False
    return is_sample_table(map(str, columns))
