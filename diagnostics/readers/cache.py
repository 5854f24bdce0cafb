"""The cache: arrays that were read from large logs, kept in the user's cache folder until the logs change.

Only ever a cache: deleting it loses nothing, and where it cannot be written or read, the logs are read. One file holds
a header (JSON, one line) and the arrays as they lie in memory, which are mapped, not read.
"""

import hashlib
import mmap
import os
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import orjson

Array = npt.NDArray[Any]

SMALLEST_LOG_BYTES = 1 << 23  # smaller logs are read as fast as they are found here
LARGEST_CACHE_BYTES = 1 << 31
_SCHEMA = 1
_ALIGNMENT = 64


@dataclass(frozen=True, slots=True)
class Entry:
    """What was kept of a log: facts that JSON can hold, and read-only arrays."""

    facts: Mapping[str, Any]
    arrays: tuple[Array, ...]


def folder() -> Path:
    """Where the cache lies; `XDG_CACHE_HOME` moves it."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "rlvitals" / "logs"


def is_worth_keeping(files: Sequence[Path]) -> bool:
    """Whether the files are large enough."""
    return sum(file.stat().st_size for file in files) >= SMALLEST_LOG_BYTES


def load(files: Sequence[Path]) -> Entry | None:
    """What was kept of these files; None where nothing was, or one of them is not as it was then."""
    place = _place(files)
    try:
        with place.open("rb") as file:
            header = orjson.loads(file.readline())
            start = -(-file.tell() // _ALIGNMENT) * _ALIGNMENT
            if (header["schema"], header["files"]) != (_SCHEMA, identities(files)):
                return None
            content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            arrays = tuple(
                np.frombuffer(content, dtype, count, start + offset) for dtype, count, offset in header["arrays"]
            )
            os.utime(place)  # the least recently used entries go first
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return Entry(header["facts"], arrays)


def save(files: Sequence[Path], entry: Entry) -> None:
    """Keep what was read of these files, and drop what was not used for long where the cache grows too large."""
    spans, end = list[tuple[str, int, int]](), 0
    for array in entry.arrays:
        spans.append((array.dtype.str, len(array), end))
        end += -(-array.nbytes // _ALIGNMENT) * _ALIGNMENT
    header = {"schema": _SCHEMA, "files": identities(files), "facts": entry.facts, "arrays": spans}
    with suppress(OSError, orjson.JSONEncodeError):  # no room, or no right to write: the logs are read again next time
        folder().mkdir(parents=True, exist_ok=True)
        _write(_place(files), orjson.dumps(header) + b"\n", [span[2] for span in spans], entry.arrays)
        _make_room()


def _write(place: Path, header: bytes, offsets: Sequence[int], arrays: Sequence[Array]) -> None:
    """Write a file that appears whole or not at all."""
    start = -(-len(header) // _ALIGNMENT) * _ALIGNMENT
    with tempfile.NamedTemporaryFile(dir=place.parent, delete=False) as file:
        try:
            file.write(header)
            for offset, array in zip(offsets, arrays, strict=True):
                file.seek(start + offset)
                file.write(np.ascontiguousarray(array).data)
            Path(file.name).replace(place)
        except OSError:
            Path(file.name).unlink(missing_ok=True)
            raise


def _make_room() -> None:
    found = sorted(((entry.stat().st_mtime, entry.stat().st_size, entry) for entry in folder().iterdir()), reverse=True)
    held = 0
    for _, size, entry in found:
        held += size
        if held > LARGEST_CACHE_BYTES:
            entry.unlink(missing_ok=True)


def identities(files: Sequence[Path]) -> list[list[Any]]:
    """What changes when a file is written to or replaced, or a folder gains or loses one."""
    found = [(str(file.resolve()), file.stat()) for file in files]
    return [[path, stat.st_size, stat.st_mtime_ns, stat.st_ino] for path, stat in found]


def _place(files: Sequence[Path]) -> Path:
    name = hashlib.blake2b(str(files[0].resolve()).encode(errors="surrogateescape"), digest_size=16).hexdigest()
    return folder() / f"{name}.arrays"
