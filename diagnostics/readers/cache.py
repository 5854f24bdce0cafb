"""A cache of what was read from logs, arrays above all, kept in the user's cache folder until the logs change.

Deleting it loses nothing; if it cannot be written or read, the logs are read instead. Each entry is one file: a header
(JSON, one line), facts (JSON), and the arrays in their memory layout, which are memory-mapped. A file gets its name
only after it is complete on disk, so several processes may write an entry and none sees a partial one.
"""

import hashlib
import mmap
import os
import tempfile
import threading
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

SMALLEST_LOG_BYTES = 1 << 22  # smaller logs are read as fast as they would be looked up
LARGEST_CACHE_BYTES = 1 << 31
_SHARE_UNSEEN = 1024  # of the cache's bytes, one may be written between two looks at its size
_written: list[int] = []  # bytes of each entry since the last look
_written_lock = threading.Lock()
_ALIGNMENT = 64
_SCHEMA = 2


@dataclass(frozen=True, slots=True)
class Entry:
    """A cached log: facts as JSON, and read-only arrays."""

    facts: str
    arrays: tuple[Array, ...]


def folder() -> Path:
    """The cache folder; `XDG_CACHE_HOME` moves it."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "rlvitals" / "logs"


def identities(files: Iterable[Path]) -> list[Identity]:
    """Values that change when a file is written, replaced or removed, or when a folder gains or loses a file."""
    return [[str(file), *_identity(file)] for file in files]


def is_worth_keeping(files: Iterable[Identity]) -> bool:
    """Whether the files are large enough to cache."""
    return sum(sum(numbers[:1]) for _, *numbers in files) >= SMALLEST_LOG_BYTES


def load(key: str, files: Sequence[Identity]) -> Entry | None:
    """The entry under a key; None if there is none or one of the files has changed since."""
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
    """Store an entry for these files; evicts the least recently used entries if the cache grows too large."""
    arrays, spans, end = (np.frombuffer(entry.facts.encode(), np.uint8), *entry.arrays), list[tuple[str, int, int]](), 0
    for array in arrays:
        spans.append((array.dtype.str, len(array), end))
        end += -(-array.nbytes // _ALIGNMENT) * _ALIGNMENT
    header = {"schema": _schema(), "key": key, "files": files, "arrays": spans}
    with suppress(
        OSError, orjson.JSONEncodeError, UnicodeEncodeError
    ):  # disk full or no permission: the logs will be read again
        folder().mkdir(parents=True, exist_ok=True)
        _write(_place(key), orjson.dumps(header) + b"\n", [*(span[2] for span in spans), end], arrays)
        _make_room_after(end)


def _write(place: Path, header: bytes, offsets: Sequence[int], arrays: Sequence[Array]) -> None:
    """Write a file that appears complete or not at all, even if the process or the machine dies."""
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
    """What invalidates every entry: this module's schema version, and the code of all readers."""
    modules = sorted((module.name, *_identity(module)[:2]) for module in Path(__file__).parent.rglob("*.py"))
    return [_SCHEMA, hashlib.blake2b(repr(modules).encode(), digest_size=16).hexdigest()]


def _make_room_after(size: int) -> None:
    """Look at the size of the cache, once so much was written that it matters: small entries come by the hundred."""
    with _written_lock:
        _written.append(size)
        if sum(_written) * _SHARE_UNSEEN < LARGEST_CACHE_BYTES:
            return
        _written.clear()
    _make_room()


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
    except OSError:  # missing, or a loop of links
        return []
    return [found.st_size, found.st_mtime_ns, found.st_dev, found.st_ino]


def _place(key: str) -> Path:
    return folder() / f"{hashlib.blake2b(key.encode(errors='surrogateescape'), digest_size=16).hexdigest()}.arrays"
