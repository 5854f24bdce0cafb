"""Annotations: the tags, the note and the archive mark that a user gives to runs, kept in the user's data folder.

They are keyed by the real path of a run, and nothing is written into the run. SQLite makes each change whole or not at
all, also where two dashboards write at once or one is killed.
"""

import os
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from diagnostics.user_data import user_data_folder
from diagnostics.visible_text import one_line, visible

LONGEST_TAG, LONGEST_NOTE = 64, 10_000  # characters
_VERSION = 1
_PATIENCE = 10.0  # seconds to wait for another process that writes
_SCHEMA = """
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS tags (run BLOB NOT NULL, tag TEXT NOT NULL, PRIMARY KEY (run, tag)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS notes (run BLOB PRIMARY KEY, note TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS archived (run BLOB PRIMARY KEY) WITHOUT ROWID;
PRAGMA user_version = 1;
COMMIT;
"""


class AnnotationError(Exception):
    """Annotations cannot be read or written; the message is one sentence."""


@dataclass(frozen=True, slots=True)
class Annotation:
    """What the user says of one run."""

    tags: tuple[str, ...] = ()
    note: str = ""
    is_archived: bool = False


NO_ANNOTATION = Annotation()


@dataclass(frozen=True, slots=True)
class Annotations:
    """The annotations in one file. Every question reads it anew, so that processes share it."""

    place: Path

    @classmethod
    def of_user(cls) -> "Annotations":
        """Those of the user who runs this process."""
        return cls(user_data_folder() / "annotations.sqlite")

    def of_runs(self, paths: Iterable[Path]) -> list[Annotation]:
        """What is said of each run. Raises AnnotationError."""
        known = self._read() if self.place.exists() else {}
        return [known.get(_key(path), NO_ANNOTATION) for path in paths] if known else [NO_ANNOTATION for _ in paths]

    def tag(self, paths: Iterable[Path], tag: str) -> None:
        """Give runs a tag. Raises AnnotationError, also for a tag that is empty or too long."""
        words = _checked(one_line(tag.strip()), "A tag", LONGEST_TAG)
        self._write("INSERT OR IGNORE INTO tags VALUES (?, ?)", [(_key(path), words) for path in paths])

    def untag(self, paths: Iterable[Path], tag: str) -> None:
        """Take a tag from runs. Raises AnnotationError."""
        self._write("DELETE FROM tags WHERE run = ? AND tag = ?", [(_key(path), tag) for path in paths])

    def note(self, path: Path, text: str) -> None:
        """Replace the note of a run; an empty one removes it. Raises AnnotationError, also for one that is too long."""
        words = visible(text.strip())
        if words:
            row = (_key(path), _checked(words, "A note", LONGEST_NOTE))
            self._write("INSERT OR REPLACE INTO notes VALUES (?, ?)", [row])
        else:
            self._write("DELETE FROM notes WHERE run = ?", [(_key(path),)])

    def archive(self, paths: Iterable[Path]) -> None:
        """Archive runs: lists leave them out. Raises AnnotationError."""
        self._write("INSERT OR IGNORE INTO archived VALUES (?)", [(_key(path),) for path in paths])

    def restore(self, paths: Iterable[Path]) -> None:
        """Take runs out of the archive. Raises AnnotationError."""
        self._write("DELETE FROM archived WHERE run = ?", [(_key(path),) for path in paths])

    def _read(self) -> Mapping[bytes, Annotation]:
        with self._database() as database:
            tags = defaultdict[bytes, list[str]](list)
            for run, tag in database.execute("SELECT run, tag FROM tags ORDER BY tag"):
                tags[run].append(tag)
            notes = dict(database.execute("SELECT run, note FROM notes"))
            archived = {run for (run,) in database.execute("SELECT run FROM archived")}
        runs = {*tags, *notes, *archived}
        return {run: Annotation(tuple(tags.get(run, ())), notes.get(run, ""), run in archived) for run in runs}

    def _write(self, statement: str, rows: list[tuple[bytes | str, ...]]) -> None:
        with self._database() as database, database:
            database.execute("BEGIN IMMEDIATE")
            database.executemany(statement, rows)

    @contextmanager
    def _database(self) -> Iterator[sqlite3.Connection]:
        """The file, made where there is none yet, readable by its user alone."""
        try:
            self.place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            os.close(os.open(self.place, os.O_RDWR | os.O_CREAT, 0o600))
            with closing(sqlite3.connect(self.place, timeout=_PATIENCE, isolation_level=None)) as database:
                self._prepare(database)
                yield database
        except OSError as error:
            raise AnnotationError(f"Tags and notes cannot be kept in {self.place}: {error.strerror}.") from error
        except sqlite3.Error as error:
            raise AnnotationError(
                f"Tags and notes in {self.place} cannot be used: {error}. Move the file away to begin a new one."
            ) from error

    def _prepare(self, database: sqlite3.Connection) -> None:
        (version,) = database.execute("PRAGMA user_version").fetchone()
        if version > _VERSION:
            raise AnnotationError(f"Tags and notes in {self.place} were written by a newer rlvitals; update this one.")
        if version < _VERSION:
            database.executescript(_SCHEMA)


def _key(path: Path) -> bytes:
    """The real path as the file system holds it, whatever its encoding."""
    return os.fsencode(os.path.realpath(path))


def _checked(words: str, what: str, longest: int) -> str:
    if not words:
        raise AnnotationError(f"{what} needs at least one character.")
    if len(words) > longest:
        raise AnnotationError(f"{what} has at most {longest:,} characters; this one has {len(words):,}.")
    return words
