"""What is known of one server's files and of how much of each is here: a small database that every process shares."""

import json
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from diagnostics.remote.place import RemoteFile
from diagnostics.told import from_plain, plain

_SCHEMA = """
create table if not exists files (
  name text primary key, path text, size integer, version text, modified real, held text, used real
) without rowid;
create table if not exists looks (
  name text primary key, tried real, listed real, took real, answered real, silent_since real, reason text
) without rowid;
"""
_SECONDS_TO_LOCK = 10.0
_NO_REASON = json.dumps("")
_AFTER_SLASH, _LAST = "0", "\U0010ffff"  # characters: the next one to a slash, and the last of all


class KnownFile(NamedTuple):
    """One file as it was listed; `held` is the version whose copy was complete last, None before there was one."""

    name: str
    path: str
    size: int
    version: str
    modified: float | None
    held: str | None


class Look(NamedTuple):
    """How looking at an address went last, in seconds since the epoch.

    `took` is what listing it cost in seconds; `silent_since` when it last answered before it began to fail, or when it
    was first asked; None while it answers. `reason` says how it failed.
    """

    listed: float = 0.0
    took: float = 0.0
    answered: float | None = None
    silent_since: float | None = None
    reason: str = ""


class Progress(NamedTuple):
    """How much of what lies below an address is here."""

    files: int
    missing: int
    bytes: int
    missing_bytes: int


class Index:
    """Names are paths below the server's folder, with slashes; an empty one means everything. Thread-safe."""

    def __init__(self, file: Path) -> None:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._lock = threading.Lock()
        self._file = file
        self._database = _opened(file)

    def note_listing(self, name: str, files: Mapping[str, RemoteFile], now: float, took: float) -> list[str]:
        """Replace what is known below a name; returns the names that are not there any more."""
        rows = [
            (key, file.path, file.size, f"{file.size} {file.version}", file.modified) for key, file in files.items()
        ]
        with self._changing() as database:
            gone = [known for (known,) in database.execute(f"select name from files where {_BELOW}", _below(name))]
            gone = [known for known in gone if known not in files]
            database.executemany("delete from files where name = ?", [(known,) for known in gone])
            database.executemany(
                "insert into files values (?, ?, ?, ?, ?, null, 0) on conflict (name) do update set "
                "path = excluded.path, size = excluded.size, version = excluded.version, modified = excluded.modified "
                "where version is not excluded.version",
                rows,
            )
            database.execute(
                "insert or replace into looks values (?, ?, ?, ?, ?, null, ?)", (name, now, now, took, now, _NO_REASON)
            )
        return gone

    def note_failure(self, name: str, reason: str, now: float) -> None:
        """Keep that looking failed, and since when."""
        before = self.look(name)
        since = before.silent_since or before.answered or now
        with self._changing() as database:
            database.execute(
                "insert or replace into looks values (?, ?, ?, ?, ?, ?, ?)",
                (name, now, before.listed, before.took, before.answered, since, json.dumps(plain(reason))),
            )

    def note_answer(self, name: str) -> None:
        """Keep that looking at a name succeeded, if only by what is known of what lies above it."""
        with self._changing() as database:
            database.execute("update looks set silent_since = null where name = ?", (name,))

    def note_held(self, files: Iterable[KnownFile], now: float) -> None:
        """Keep that the copies of these files are complete."""
        with self._changing() as database:
            rows = [(file.version, now, file.name) for file in files]
            database.executemany("update files set held = ?, used = ? where name = ?", rows)

    def note_use(self, name: str, now: float) -> None:
        """Keep that somebody looked at what lies below a name."""
        with self._changing() as database:
            database.execute(f"update files set used = ? where {_BELOW}", (now, *_below(name)))

    def forget_copies(self, names: Iterable[str]) -> None:
        """Keep that the copies of these files are gone."""
        with self._changing() as database:
            database.executemany("update files set held = null where name = ?", [(name,) for name in names])

    def stale(self, name: str) -> list[KnownFile]:
        """The files below a name whose copies are not as they were listed last."""
        return self._files(f"{_BELOW} and held is not version", _below(name))

    def held(self, name: str) -> list[KnownFile]:
        """The files below a name whose copies are as they were listed last."""
        return self._files(f"{_BELOW} and held is version", _below(name))

    def least_used(self, before: float) -> list[KnownFile]:
        """The files with a copy that nobody has used since a moment, those first that have been left longest."""
        return self._files("held is not null and used < ? order by used", (before,))

    def held_bytes(self) -> int:
        """The bytes of all complete copies."""
        return int(self._row("select coalesce(sum(size), 0) from files where held is not null", ())[0])

    def progress(self, name: str) -> Progress:
        """How much below a name has been copied at least once."""
        return Progress(
            *self._row(
                "select count(*), coalesce(sum(held is null), 0), coalesce(sum(size), 0), "
                f"coalesce(sum(case when held is null then size else 0 end), 0) from files where {_BELOW}",
                _below(name),
            )
        )

    def look(self, name: str) -> Look:
        """The last look at a name if it failed; else that at it or at what lies above it, whichever was later."""
        places = _and_above(name)
        found = self._row(
            "select listed, took, answered, silent_since, reason from looks where name in "
            f"({', '.join('?' * len(places))}) "
            "order by (name = ? and silent_since is not null) desc, tried desc limit 1",
            [*places, name],
        )
        return Look._make((*found[:-1], from_plain(json.loads(found[-1])))) if found else Look()

    def _files(self, condition: str, values: Sequence[Any]) -> list[KnownFile]:
        with self._lock:
            columns = ", ".join(KnownFile._fields)
            rows = self._database.execute(f"select {columns} from files where {condition}", tuple(values)).fetchall()
        return [KnownFile(*row) for row in rows]

    def _row(self, query: str, values: Sequence[Any]) -> tuple[Any, ...]:
        with self._lock:
            return self._database.execute(query, tuple(values)).fetchone() or ()

    @contextmanager
    def _changing(self) -> Iterator[sqlite3.Connection]:
        with self._lock, self._database:
            yield self._database


_BELOW = "(name >= ? and name < ? and (? = '' or name = ? or substr(name, ?, 1) = '/'))"


def _below(name: str) -> tuple[str, str, str, str, int]:
    return (name, f"{name}{_AFTER_SLASH}" if name else _LAST, name, name, len(name) + 1)


def _and_above(name: str) -> list[str]:
    parts = name.split("/")
    return ["", *("/".join(parts[:count]) for count in range(1, len(parts) + 1))]


def _opened(file: Path) -> sqlite3.Connection:
    """The database; a broken one is begun anew, which costs another copy. Raises OSError."""
    try:
        return _connected(file)
    except sqlite3.OperationalError as error:
        raise OSError(str(error)) from error
    except sqlite3.DatabaseError:
        file.unlink(missing_ok=True)
        return _connected(file)


def _connected(file: Path) -> sqlite3.Connection:
    database = sqlite3.connect(file, timeout=_SECONDS_TO_LOCK, check_same_thread=False)
    database.executescript(f"pragma journal_mode = wal; pragma synchronous = off; {_SCHEMA}")
    return database
