"""The cache: arrays that were read from large logs, kept in the user's cache folder until the logs change.

Only ever a cache: deleting it loses nothing, and where it cannot be written or read, the logs are read. One file holds
a header (JSON, one line), facts (JSON) and the arrays as they lie in memory, which are mapped, not read. It is on disk
as a whole before it has its name, so that several may write it and none sees a part.
"""

import hashlib
import mmap
import os
import tempfile
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import orjson

Array = npt.NDArray[Any]
Identity = list[Any]
"""Path, size, time of the last change, device and inode; the path alone of what is missing."""

SMALLEST_LOG_BYTES = 1 << 22  # smaller logs are read as fast as they are found here
LARGEST_CACHE_BYTES = 1 << 31
_ALIGNMENT = 64
_SCHEMA = 2


@dataclass(frozen=True, slots=True)
class Entry:
    """What was kept of a log: facts in JSON, and read-only arrays."""

    facts: str
    arrays: tuple[Array, ...]


def folder() -> Path:
    """Where the cache lies; `XDG_CACHE_HOME` moves it."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "rlvitals" / "logs"


def identities(files: Iterable[Path]) -> list[Identity]:
    """What changes when a file is written to, replaced or removed, or a folder gains or loses one."""
    return [[str(file), *_identity(file)] for file in files]


def is_worth_keeping(files: Iterable[Identity]) -> bool:
    """Whether the files are large enough."""
    return sum(sum(numbers[:1]) for _, *numbers in files) >= SMALLEST_LOG_BYTES


def load(key: str, files: Sequence[Identity]) -> Entry | None:
    """What was kept under a key; None where nothing was, or one of the files is not as it was then."""
    place = _place(key)
    try:
        with place.open("rb") as file:
            header = orjson.loads(file.readline())
            if (header["schema"], header["key"], header["files"]) != (_schema(), key, list(files)):
                return None
            start = -(-file.tell() // _ALIGNMENT) * _ALIGNMENT
            content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            facts, *arrays = (
                np.frombuffer(content, dtype, count, start + offset) for dtype, count, offset in header["arrays"]
            )
            os.utime(place)  # the least recently used entries go first
        return Entry(facts.tobytes().decode(), tuple(arrays))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def save(key: str, files: Sequence[Identity], entry: Entry) -> None:
    """Keep what was read of these files, and drop what was not used for long where the cache grows too large."""
    arrays, spans, end = (np.frombuffer(entry.facts.encode(), np.uint8), *entry.arrays), list[tuple[str, int, int]](), 0
    for array in arrays:
        spans.append((array.dtype.str, len(array), end))
        end += -(-array.nbytes // _ALIGNMENT) * _ALIGNMENT
    header = {"schema": _schema(), "key": key, "files": files, "arrays": spans}
    with suppress(OSError, orjson.JSONEncodeError, UnicodeEncodeError):  # no room, no right: the logs are read again
        folder().mkdir(parents=True, exist_ok=True)
        _write(_place(key), orjson.dumps(header) + b"\n", [*(span[2] for span in spans), end], arrays)
        _make_room()


def _write(place: Path, header: bytes, offsets: Sequence[int], arrays: Sequence[Array]) -> None:
    """Write a file that appears whole or not at all, whatever stops this process or this machine."""
    start = -(-len(header) // _ALIGNMENT) * _ALIGNMENT
    with tempfile.NamedTemporaryFile(dir=place.parent, delete=False) as file:
        try:
            file.write(header)
            for offset, array in zip(offsets, arrays, strict=False):
                file.seek(start + offset)
                file.write(np.ascontiguousarray(array).data)
            file.truncate(start + offsets[-1])
            file.flush()
            os.fsync(file.fileno())
            Path(file.name).replace(place)
        except OSError:
            Path(file.name).unlink(missing_ok=True)
            raise


@cache
def _schema() -> list[Any]:
    """What changes when an entry would be written otherwise: this module's schema, and the code of all readers."""
    modules = sorted((module.name, *_identity(module)[:2]) for module in Path(__file__).parent.rglob("*.py"))
    return [_SCHEMA, hashlib.blake2b(repr(modules).encode(), digest_size=16).hexdigest()]


def _make_room() -> None:
    found = sorted(((entry.stat().st_mtime, entry.stat().st_size, entry) for entry in folder().iterdir()), reverse=True)
    held = 0
    for _, size, entry in found:
        held += size
        if held > LARGEST_CACHE_BYTES:
            entry.unlink(missing_ok=True)


def _identity(file: Path) -> list[int]:
    try:
        found = file.stat()
    except (FileNotFoundError, NotADirectoryError):
        return []
    return [found.st_size, found.st_mtime_ns, found.st_dev, found.st_ino]


def _place(key: str) -> Path:
    return folder() / f"{hashlib.blake2b(key.encode(errors='surrogateescape'), digest_size=16).hexdigest()}.arrays"
