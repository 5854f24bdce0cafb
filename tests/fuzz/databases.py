"""Damage to databases, which SQLite mostly still opens: odd cells, another schema, views without an end, lost pages."""

import random
import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from tests.fuzz.damage import Damage, Damaged, files_of

PAGE_BYTES = 4096
_LARGE = 10_000_000  # bytes of one cell
ODD_CELLS: dict[str, str] = {
    "NULL": "NULL",
    "text": "'x'",
    "an empty text": "''",
    "a number as text": "'5'",
    "-1": "-1",
    "1.5": "1.5",
    "the largest integer": "9223372036854775807",
    "the smallest integer": "-9223372036854775808",
    "infinity": "9e999",
    "a blob": "x'ff00fe'",
    "a blob of ten million bytes": f"zeroblob({_LARGE})",
    "a text of ten million letters": f"printf('%.*c', {_LARGE}, 'x')",
    "brackets": "printf('%.*c', 100000, '[')",
    "JSON of odd things": '\'{"a": [NaN, 1e400, null], "": {"_type": 5}}\'',
    "a JSON integer of 10,000 digits": "'{\"a\": ' || printf('%.*c', 10000, '9') || '}'",
    "a NUL": "'a' || char(0) || 'b'",
    "a lone surrogate": "CAST(x'edA080' AS TEXT)",
    "control characters": "char(27) || ']0;x' || char(7) || char(8238)",
}
"""SQL expressions, by what they are."""

_ENDLESS = "WITH RECURSIVE endless(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM endless) SELECT {columns} FROM endless"


def odd_cell(draw: random.Random, folder: Path) -> Damaged:
    """A cell, or a whole column, is of another type."""
    file = draw.choice(files_of(folder, ".db"))
    what = draw.choice(list(ODD_CELLS))
    where = draw.choice(("", " WHERE rowid = (SELECT min(rowid) FROM {table})"))
    with closing(sqlite3.connect(file)) as database:
        table, column = _column(draw, database)
        with suppress(sqlite3.Error):  # a constraint forbids it
            database.execute(f"UPDATE {table} SET {column} = {ODD_CELLS[what]}{where.format(table=table)}")
        database.commit()
    return Damaged(folder, f"{what} as {table}.{column}")


def other_schema(draw: random.Random, folder: Path) -> Damaged:
    """A table or column is missing, renamed or of another type, or a view that never ends stands in its place."""
    file = draw.choice(files_of(folder, ".db"))
    with closing(sqlite3.connect(file)) as database:
        table, column = _column(draw, database)
        names = [f'"{name}"' for _, name, *_ in database.execute(f"PRAGMA table_info({table})")]
        endless = _ENDLESS.format(columns=", ".join(f"n AS {name}" for name in names))
        view, again = f"CREATE VIEW {table} AS", f"CREATE VIEW {table}_again AS SELECT * FROM {table}"
        changes = {
            "dropped": f"DROP TABLE {table}",
            "without rows": f"DELETE FROM {table}",
            "without a column": f"ALTER TABLE {table} DROP COLUMN {column}",
            "with a renamed column": f"ALTER TABLE {table} RENAME COLUMN {column} TO other",
            "renamed": f"ALTER TABLE {table} RENAME TO other",
            "a view without an end": f"DROP TABLE {table}; {view} {endless}",
            "a view of itself": f"DROP TABLE {table}; {view} SELECT * FROM {table}_again; {again}",
            "a view of nothing": f"DROP TABLE {table}; {view} SELECT * FROM missing",
            "a table of a module that is missing": f"DROP TABLE {table}; {_of_missing_module(table)}",
            "of a broken definition": "PRAGMA writable_schema = 1; "
            f"UPDATE sqlite_master SET sql = 'CREATE TABLE {table} (((' WHERE name = '{table}'",
        }
        what = draw.choice(list(changes))
        with suppress(sqlite3.Error):  # SQLite refuses to break some of them
            database.executescript(changes[what])
        database.commit()
    return Damaged(folder, f"{table} {what} ({column})")


def lost_pages(draw: random.Random, folder: Path) -> Damaged:
    """Pages are cut off, zeroed, exchanged or repeated."""
    file = draw.choice(files_of(folder, ".db"))
    content = file.read_bytes()
    pages = [content[start : start + PAGE_BYTES] for start in range(0, len(content), PAGE_BYTES)]
    place, other = draw.randrange(len(pages)), draw.randrange(len(pages))
    changes = {
        "cut off": lambda: pages.__delitem__(slice(max(1, place), None)),
        "zeroed": lambda: pages.__setitem__(place, bytes(PAGE_BYTES)),
        "random": lambda: pages.__setitem__(place, draw.randbytes(PAGE_BYTES)),
        "replaced by another": lambda: pages.__setitem__(place, pages[other]),
        "removed": lambda: pages.__delitem__(place),
        "cut within": lambda: pages.__setitem__(-1, pages[-1][: draw.randrange(PAGE_BYTES)]),
    }
    what = draw.choice(list(changes))
    changes[what]()
    file.write_bytes(b"".join(pages))
    return Damaged(folder, f"page {place} of {file.name} {what}")


def header(draw: random.Random, folder: Path) -> Damaged:
    """A field of the database's header has another value."""
    file = draw.choice(files_of(folder, ".db"))
    content, place = bytearray(file.read_bytes()), draw.randrange(16, 100)
    content[place : place + 4] = draw.choice((b"\0\0\0\0", b"\xff\xff\xff\xff", b"\0\1\0\1", draw.randbytes(4)))
    file.write_bytes(content)
    return Damaged(folder, f"bytes {place} to {place + 3} of the header of {file.name}")


def journal(draw: random.Random, folder: Path) -> Damaged:
    """A journal or write-ahead log lies beside the database and does not belong to it."""
    file, ending = draw.choice(files_of(folder, ".db")), draw.choice(("-wal", "-journal", "-shm"))
    magic = draw.choice((b"", b"\x37\x7f\x06\x82", b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"))
    file.with_name(file.name + ending).write_bytes(magic + draw.randbytes(draw.choice((28, 32, 5_000, 40_000))))
    return Damaged(folder, f"a foreign {file.name}{ending}")


def _column(draw: random.Random, database: sqlite3.Connection) -> tuple[str, str]:
    """A table and one of its columns, those with rows first."""
    found: list[Any] = database.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").fetchall()
    tables = [name for (name,) in found if not name.startswith("sqlite_")]
    filled = [name for name in tables if database.execute(f"SELECT 1 FROM {name} LIMIT 1").fetchone()]
    table = draw.choice(filled if filled and draw.random() < 0.8 else tables)
    return table, draw.choice([name for _, name, *_ in database.execute(f"PRAGMA table_info({table})")])


def _of_missing_module(table: str) -> str:
    sql = f"CREATE VIRTUAL TABLE {table} USING missing(a)"
    return (
        "PRAGMA writable_schema = 1; INSERT INTO sqlite_master (type, name, tbl_name, rootpage, sql) "
        f"VALUES ('table', '{table}', '{table}', 0, '{sql}')"
    )


DATABASES: tuple[Damage, ...] = (odd_cell, odd_cell, odd_cell, other_schema, other_schema, lost_pages, header, journal)
