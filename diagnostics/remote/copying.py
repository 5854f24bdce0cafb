"""The copy of one file that lies elsewhere: what to request next, and how it is written here.

A log that grows at its end is copied from its beginning, so that its copy is at any time the log as it once was. What
changes in place is copied beside its last copy and then takes its place. What a small file says of a log, such as that
its training has ended, is read there before the log and shown here after it, so that it always holds of the copy.
"""

import hashlib
import os
import time
from pathlib import Path

from diagnostics.foreign_files import read_span
from diagnostics.remote.error import FetchError
from diagnostics.remote.index import KnownFile
from diagnostics.remote.place import Span, is_appended
from diagnostics.told import told

TAIL_BYTES = 4096
"""Of a log that must be as in its copy, so that the copy goes on from there."""

BEGINNING_BYTES = 64 * 1024
"""Of a log that tell which training wrote it."""

SMALL_BYTES = 2**20
"""A file that changes in place and is no larger may describe the logs beside it."""

_UNKNOWN_AGE = 86_400.0  # seconds: what was never seen to change was not written just now, as far as anybody knows


class Copying:
    """Brings the copy of one file up to date, a part at a time."""

    def __init__(self, file: KnownFile, target: Path, *, is_whole: bool) -> None:
        """Without `is_whole` the beginning of a log is enough."""
        self.file, self._target = file, target
        self._is_log = is_appended(file.name)
        self._limit = None if is_whole or not self._is_log else BEGINNING_BYTES
        version = hashlib.blake2b(file.version.encode(), digest_size=6).hexdigest()
        self._part = target.with_name(f".{target.name}.{version}.part")
        self._goes_on = self._is_log and _size(target) <= file.size and not self._part.exists()
        self._held = _size(self._into)
        self.describes_logs = not self._is_log and file.size <= SMALL_BYTES
        self.is_ready = self.describes_logs and self._held >= file.size > 0

    @property
    def order(self) -> tuple[int, float]:
        """Sorts what describes a run before its logs, and what is large and changes in place last; the newest first."""
        kind = 0 if self.describes_logs else 1 if self._is_log else 2
        return kind, -(self.file.modified or 0.0)

    @property
    def is_needed(self) -> bool:
        """Whether anything is to be copied: the beginning of a log may be here already."""
        return self._limit is None or not self._target.exists()

    @property
    def missing_bytes(self) -> int:
        """How much is not here yet of what is wanted."""
        return max(min(self.file.size, self._limit or self.file.size) - self._held, 0)

    def next_span(self, most: int) -> Span:
        """What to request next: about `most` bytes, and up to the end of the file where that is near."""
        start = max(0, self._held - TAIL_BYTES) if self._goes_on else self._held
        end = self._held + min(most, self._limit or most)
        return Span(self.file.path, start, end if end < self.file.size else None)

    def take(self, span: Span, content: bytes) -> bool:
        """Write what was requested; returns whether the copy is as the file was when it was listed.

        Where it may describe logs, it is ready then, and `show` puts it in its place. Raises FetchError where the file
        became shorter meanwhile.
        """
        if self._goes_on and not _continues(self._target, self._held, span, content):
            if not _continues(self._target, self._held, span, content[span.start :]):  # a server that knows no ranges
                self._goes_on, self._held = False, _size(self._part)
                return False
            content = content[span.start :]
        new = content[self._held - span.start :]
        if span.end is not None:
            new = (content[span.start :] if len(content) > span.end - span.start else new)[: span.end - self._held]
            if not new:
                raise FetchError(told("{file} became shorter while it was read", file=self.file.path))
        self._into.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with self._into.open("ab") as copy:
            copy.write(new)
        self._held += len(new)
        is_complete = span.end is None
        if is_complete and self.describes_logs:
            self.is_ready = True
        elif is_complete and not self._goes_on:
            self.show()
        elif new or is_complete:
            self._set_time()
        return is_complete

    def show(self) -> None:
        """Put the copy in the place of the last one."""
        self._part.replace(self._target)
        remove_parts(self._target)  # of earlier versions
        self._set_time()

    @property
    def is_begun(self) -> bool:
        """Whether as much of it is here as was asked for."""
        return self._limit is not None and self._held >= self._limit

    @property
    def _into(self) -> Path:
        return self._target if self._goes_on else self._part

    def _set_time(self) -> None:
        if self._target.exists():
            is_first = self.file.held is None
            written = self.file.modified or time.time() - (_UNKNOWN_AGE if is_first else 0.0)
            os.utime(self._target, (written, written))


def remove_parts(target: Path) -> None:
    """Remove what was copied of versions that never became complete."""
    for left in target.parent.glob(f".{_literal(target.name)}.*.part"):
        left.unlink(missing_ok=True)


def _continues(target: Path, held: int, span: Span, content: bytes) -> bool:
    return not held or content[: held - span.start] == read_span(target, span.start, held)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _literal(name: str) -> str:
    return "".join(f"[{sign}]" if sign in "*?[" else sign for sign in name)
