"""Copies of logs: a log whose every file is, byte for byte, the beginning of the same file of another log."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from diagnostics.foreign_files import check_cancelled, open_regular, read_head
from diagnostics.readers.base import RunRef, format_named
from diagnostics.readers.openings import files_of, hold_one_training
from diagnostics.readers.wandb.run_folders import LATEST

_HEAD_BYTES, _LONG_HEAD_BYTES, _CHUNK_BYTES = 1 << 12, 1 << 18, 1 << 20
_FEW = 8  # logs that begin alike and are compared with each other; more, like many consoles, must agree for longer
_MOST_ANSWERS = 1 << 14  # that are remembered
_Identity = tuple[Path, int, int, int]


@dataclass(frozen=True, slots=True)
class _Log:
    """A log with the identities of its files by name: path, inode, size and time of the last change."""

    ref: RunRef
    files: Mapping[str, _Identity]

    @property
    def name_within_file(self) -> str:
        """What tells the run from the others in its file; empty where it has its files to itself."""
        (first, *_), path = next(iter(self.files.values())), self.ref.path
        return path.name if path.parent == first else ""

    @property
    def order(self) -> tuple[int, int, bool, str]:
        """The fullest log first, then the one with the shortest path."""
        size, path = sum(map(_size, self.files.values())), self.ref.path
        return -size, len(path.parts), path.name == LATEST, str(path)

    def is_copy_of(self, original: "_Log") -> bool:
        """Whether this log holds nothing but the beginning of another one that tells its training, and is of it too.

        A log of the same bytes is.
        """
        if not format_named(self.ref.format).names_its_run:  # the same bytes may be those of two failures to begin
            (ours, *more), (theirs, *_) = self.files.values(), original.files.values()
            if more or theirs[0] == ours[0] or not _begins(theirs, ours):
                return False
            return _size(theirs) == _size(ours) or hold_one_training(self.ref, original.ref) is True
        named = original.files
        return all(name in named and _begins(named[name], file) for name, file in self.files.items())


def copies_among(refs: Iterable[RunRef]) -> Iterator[RunRef]:
    """The logs that are copies of others among them; of equal logs all but the one with the shortest path."""
    alike = defaultdict[tuple[str, str, bytes], list[_Log]](list)
    for log in filter(None, map(_log, refs)):
        alike[log.ref.format, log.name_within_file, _head(log, _HEAD_BYTES)].append(log)
    for found in alike.values():
        if len(found) > _FEW:
            for still in _alike_for_longer(found):
                yield from _copies_among(still)
        elif len(found) > 1:
            yield from _copies_among(found)


def _alike_for_longer(logs: Iterable[_Log]) -> Iterable[list[_Log]]:
    alike = defaultdict[bytes, list[_Log]](list)
    for log in logs:
        alike[_head(log, _LONG_HEAD_BYTES)].append(log)
    return alike.values()


def _copies_among(alike: list[_Log]) -> Iterator[RunRef]:
    originals: list[_Log] = []
    for log in sorted(alike, key=lambda log: log.order):
        if any(log.is_copy_of(original) for original in originals):
            yield log.ref
        elif _tells_its_training(log):
            originals.append(log)


def _tells_its_training(log: _Log) -> bool:
    """Whether a log says enough to be told from others: one that does not match itself has no copies."""
    return format_named(log.ref.format).names_its_run or hold_one_training(log.ref, log.ref) is True


def _log(ref: RunRef) -> _Log | None:
    try:
        stats = [(file, file.stat()) for file in files_of(ref)]
    except OSError:  # gone just now
        return None
    found = {file.name: (file, stat.st_ino, stat.st_size, stat.st_mtime_ns) for file, stat in stats}
    return _Log(ref, found) if found else None


def _size(file: _Identity) -> int:
    return file[2]


def _head(log: _Log, size: int) -> bytes:
    first = next(iter(log.files.values()))
    return _hash_of_head(first, size)


@lru_cache(_MOST_ANSWERS)
def _hash_of_head(file: _Identity, size: int) -> bytes:
    try:
        return hashlib.blake2b(read_head(file[0], size)).digest()
    except OSError:
        return str(file[0]).encode(errors="replace")


@lru_cache(_MOST_ANSWERS)
def _begins(longer: _Identity, shorter: _Identity) -> bool:
    """Whether a file begins with all bytes of another."""
    left = _size(shorter)
    if _size(longer) < left:
        return False
    try:
        with open_regular(longer[0]) as one, open_regular(shorter[0]) as two:
            while left > 0:
                check_cancelled()
                part = two.read(min(_CHUNK_BYTES, left))
                if not part or one.read(len(part)) != part:
                    return False
                left -= len(part)
    except OSError:
        return False
    return True
