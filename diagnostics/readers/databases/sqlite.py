"""SQLite databases that another process writes: opened read-only, in whatever state the writer left them."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from diagnostics.foreign_files import Cancelled, TimedOut, check_cancelled, check_inside

SECONDS_TO_WAIT = 2.0  # to wait for a writer that holds the lock
_STEPS_BETWEEN_QUESTIONS = 100_000  # instructions of SQLite's machine, some milliseconds


@contextmanager
def connect_read_only(file: Path) -> Iterator[sqlite3.Connection]:
    """Open a database for reading, as immutable if no file may be created beside it.

    A query is interrupted when nobody waits for it, which raises Cancelled or TimedOut.
    Raises FileNotFoundError, LeadsOutside or sqlite3.Error.
    """
    if not file.is_file():  # SQLite would wait at a FIFO
        raise FileNotFoundError(file)
    check_inside(file)
    address = file.resolve().as_uri()
    database = sqlite3.connect(f"{address}?mode=ro", uri=True, timeout=SECONDS_TO_WAIT)
    try:
        database.set_progress_handler(_is_given_up, _STEPS_BETWEEN_QUESTIONS)
        try:
            database.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()
        except sqlite3.OperationalError:
            database.close()
            check_cancelled()
            database = sqlite3.connect(f"{address}?mode=ro&immutable=1", uri=True)
            database.set_progress_handler(_is_given_up, _STEPS_BETWEEN_QUESTIONS)
        _check_whole(database, file)
        database.set_authorizer(_authorize)
        database.text_factory = partial(str, encoding="utf-8", errors="replace")
        yield database
    except sqlite3.OperationalError:
        check_cancelled()  # it may have been interrupted
        raise
    except UnicodeDecodeError as error:  # SQLite's own message quotes a name that is not valid text
        raise sqlite3.DatabaseError("its tables have names that are no text") from error
    finally:
        database.close()


def _authorize(_action: int, _first: str | None, _second: str | None, _name: str | None, view: str | None) -> int:
    """Deny what a view asks for: trackers write tables, and a view may select endlessly."""
    return sqlite3.SQLITE_DENY if view else sqlite3.SQLITE_OK


def _is_given_up() -> bool:
    try:
        check_cancelled()
    except (Cancelled, TimedOut):
        return True
    return False


def _check_whole(database: sqlite3.Connection, file: Path) -> None:
    """Reject a truncated database: SQLite notices missing pages but reads a partly missing last page as zeros.

    If there is a write-ahead log, that page may be in it.
    """
    (page_bytes,) = database.execute("PRAGMA page_size").fetchone()
    if file.stat().st_size % page_bytes and files_of(file) == (file,):
        raise sqlite3.DatabaseError("it is not whole: its last page is cut off")


def columns(database: sqlite3.Connection, table: str) -> set[str]:
    """The columns of a table; none if there is no such table."""
    return {str(row[1]) for row in database.execute(f"PRAGMA table_info({table})")}


def last_written(file: Path) -> float:
    """When the database or its write-ahead log was last written, in seconds since the epoch."""
    return max(path.stat().st_mtime for path in files_of(file) if path.exists())


def files_of(file: Path) -> tuple[Path, ...]:
    """The database and its write-ahead log, unless the latter is empty: merely opening a database may create one."""
    log = file.with_name(f"{file.name}-wal")
    return (file, log) if log.exists() and log.stat().st_size else (file,)
