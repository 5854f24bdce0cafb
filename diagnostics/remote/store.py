"""The copies of what lies on one server: a thread keeps those up to date that somebody asks for.

Nobody waits for it who does not want to. All processes of a user share the copies: one at a time looks at a server, and
what it learns serves the others.
"""

import fcntl
import os
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from diagnostics.addresses import address_of, cache_folder, is_file_name
from diagnostics.foreign_files import check_cancelled
from diagnostics.foreign_files.bounds import size_in_words
from diagnostics.remote.copying import Copying, remove_parts
from diagnostics.remote.error import FetchError
from diagnostics.remote.index import Index, KnownFile, Look, Progress
from diagnostics.remote.place import Place, RemoteFile, Span, is_final, is_left_out, why
from diagnostics.told import told

SECONDS_BETWEEN_LOOKS = 5.0
"""Between two listings of one address; `RLVITALS_REMOTE_SECONDS` sets another."""

MOST_BYTES = 20_000_000_000
"""Of the copies of one server; what nobody looked at for an hour makes room."""

MOST_FILE_BYTES = 4_000_000_000
"""Of one file; a larger one is no log."""

_SHARE = 0.05  # of the time that may be spent on listing one address
_IDLE_SECONDS = 30.0  # after which what nobody asks for is not looked at any more
_SLICE_SECONDS = 2.0  # of copying for one address, before others get their turn
_SHORTEST_PAUSE, _LONGEST_PAUSE = 1.0, 300.0  # seconds between two tries where there is no answer
_PAUSE_SHARE = 0.25  # of the time for which there has been none
_GAP_SECONDS, _TURN_SECONDS = 0.1, 0.02  # between two slices, and between two looks whether it is another's turn
_LOOKS_OF_PATIENCE = 2.0  # while all fail; then nobody is kept waiting
_STANDSTILL_SECONDS = 45.0  # without a byte, likewise
_KEPT_SECONDS = 3600.0  # that a copy is kept after its last use, whatever room is needed
_LEAST_BATCH, _MOST_BATCH, _MOST_FILES = 2**18, 2**25, 64  # bytes, and files, of one batch of requests
_BRIEF, _LONG = 1.0, 4.0  # seconds: what takes less is asked for in larger batches, what takes more in smaller ones
_SECONDS_OF_USE = 60.0  # between two notes that a copy is used


@dataclass
class _Want:
    """What somebody asks for: everything below a name, or only enough of it to find its runs."""

    is_whole: bool = False
    asked: float = 0.0
    due: float = 0.0
    failing_since: float | None = None
    is_hopeless: bool = False
    is_done: bool = False
    is_checked: bool = False
    used: float = field(default=-_SECONDS_OF_USE)


class Store:
    """The copies below the folder of one server. Thread-safe."""

    def __init__(self, folder: Path) -> None:
        """Raises OSError where nothing can be kept in the cache."""
        self._folder = folder
        cache_folder().mkdir(parents=True, exist_ok=True)
        cache_folder().chmod(0o700)  # what lies elsewhere may be for its user alone
        place = cache_folder().with_name("remote-index") / folder.relative_to(cache_folder())
        self._index = Index(place.with_name(f"{place.name}.db"))
        self._turns = place.with_name(f"{place.name}.lock")
        self._wants: dict[str, _Want] = {}
        self._condition = threading.Condition()
        self._thread: threading.Thread | None = None
        self._moved = time.monotonic()  # when something was learnt last
        self._batch, self._has_missed = _LEAST_BATCH, False
        self._is_looking, self._begun = False, 0.0

    def want(self, name: str, *, is_whole: bool) -> bool:
        """Have what lies below a name copied, and followed for as long as this is called now and then.

        Returns whether that begins now.
        """
        with self._condition:
            is_new = name not in self._wants
            want = self._wants.setdefault(name, _Want())
            want.asked = time.monotonic()
            if is_whole and not want.is_whole:
                want.is_whole, want.is_done, want.due = True, False, 0.0
            if self._thread is None or not self._thread.is_alive():
                self._moved = time.monotonic()
                self._thread = threading.Thread(target=self._work, name=f"copies {self._folder}", daemon=True)
                self._thread.start()
            self._condition.notify_all()
        return is_new

    def wait(self, name: str, patience: float | None) -> None:
        """Wait until a wanted name was looked at and copied: for some seconds or, with None, while that goes on.

        Nobody waits for a server that has failed to answer before this call. Raises Cancelled.
        """
        started = time.monotonic()
        with self._condition:
            want = self._wants.get(name)
            if want is None or want.failing_since is not None:
                return
            while not (want.is_done or self._is_given_up(want, started, patience)):
                self._condition.wait(0.1)
                want.asked = time.monotonic()
                check_cancelled()

    def look(self, name: str) -> Look:
        """How looking at a name went last, in any process; a look that stands still counts as failed."""
        found, still = self._index.look(name), time.monotonic() - max(self._moved, self._begun)
        if not self._is_looking or still < _STANDSTILL_SECONDS or found.silent_since is not None:
            return found
        reason = told("no byte has come for {seconds} s", seconds=f"{still:.0f}")
        return found._replace(silent_since=time.time() - still, reason=reason)

    def progress(self, name: str) -> Progress:
        """How much of what lies below a name is here."""
        found = self._index.progress(name)
        if not found.missing:
            return found
        left = [Copying(file, self._folder / file.name, is_whole=True) for file in self._index.stale(name)]
        return found._replace(missing_bytes=sum(file.missing_bytes for file in left if file.file.held is None))

    def _is_given_up(self, want: _Want, started: float, patience: float | None) -> bool:
        now = time.monotonic()
        if patience is not None:
            return now - started >= patience
        is_failing = want.failing_since is not None and (
            want.is_hopeless or now - started >= _LOOKS_OF_PATIENCE * seconds_between_looks()
        )
        return is_failing or now - max(started, self._moved) >= _STANDSTILL_SECONDS

    def _work(self) -> None:
        while True:
            with self._condition:
                now = time.monotonic()
                self._wants = {name: want for name, want in self._wants.items() if now - want.asked < _IDLE_SECONDS}
                if not self._wants:
                    self._thread = None
                    return
                name, want = min(self._wants.items(), key=lambda item: item[1].due)
                if want.due > now:
                    self._condition.wait(min(want.due - now, 1.0))
                    continue
            with self._turn() as is_ours:
                if is_ours:
                    self._is_looking, self._begun = True, time.monotonic()
                    self._look_at(name, want)
                    self._is_looking = False
            if not is_ours:
                time.sleep(_TURN_SECONDS)
            with self._condition:
                self._condition.notify_all()

    @contextmanager
    def _turn(self) -> Iterator[bool]:
        """Whether no other process looks at this server now; none does while this is held."""
        with self._turns.open("a") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                yield False
            else:
                yield True

    def _look_at(self, name: str, want: _Want) -> None:
        address = address_of(self._folder / name) or name
        try:
            place = Place.at(address)
            self._list(place, address, name)
            is_current = self._copy(place, name, want)
        except Exception as error:  # every file system raises its own errors
            self._note_failure(name, want, address, error)
            return
        if want.failing_since is not None:
            self._index.note_answer(name)
        want.failing_since = None
        want.is_done = want.is_done or is_current
        want.due = time.monotonic() + (seconds_between_looks() if is_current else _GAP_SECONDS)

    def _note_failure(self, name: str, want: _Want, address: str, error: Exception) -> None:
        now = time.monotonic()
        want.is_hopeless = is_final(error)
        want.failing_since = now if want.failing_since is None else want.failing_since
        want.due = now + min(max(_SHORTEST_PAUSE, (now - want.failing_since) * _PAUSE_SHARE), _LONGEST_PAUSE)
        with suppress(sqlite3.Error):  # a full disk may be what failed
            self._index.note_failure(name, why(address, error), time.time())

    def _list(self, place: Place, address: str, name: str) -> None:
        """List what lies at an address, unless that was done a moment ago."""
        last = self._index.look(name)
        if last.silent_since is None and time.time() - last.listed < max(seconds_between_looks(), last.took / _SHARE):
            return
        started = time.monotonic()
        files = place.files()
        if not files:
            raise FileNotFoundError(address)
        gone = self._index.note_listing(name, _logs(name, files), time.time(), time.monotonic() - started)
        self._moved = time.monotonic()
        for target in map(self._folder.joinpath, gone):
            target.unlink(missing_ok=True)
            remove_parts(target)
            with suppress(OSError):  # not empty
                target.parent.rmdir()

    def _copy(self, place: Place, name: str, want: _Want) -> bool:
        """Copy what is not here yet, for a while; whether all is here that is wanted."""
        if want.is_whole and time.monotonic() - want.used >= _SECONDS_OF_USE:
            want.used = time.monotonic()
            self._index.note_use(name, time.time())
        if not want.is_checked:
            self._forget_what_is_gone(name)
            want.is_checked = True
        found = [Copying(file, self._folder / file.name, is_whole=want.is_whole) for file in self._index.stale(name)]
        needed = [copying for copying in found if copying.is_needed]
        ready = [copying for copying in needed if copying.is_ready]
        waiting = sorted((copying for copying in needed if not copying.is_ready), key=lambda copying: copying.order)
        deadline, self._has_missed = time.monotonic() + _SLICE_SECONDS, False
        while (ready or waiting) and time.monotonic() < deadline:
            batch = waiting[: self._count(waiting)]
            waiting[: len(batch)] = self._copy_batch(place, batch)
            ready = self._show([*ready, *(copying for copying in batch if copying.is_ready)], waiting)
        return not (ready or waiting or self._has_missed)

    def _show(self, ready: list[Copying], waiting: list[Copying]) -> list[Copying]:
        """Show what describes logs that are all here; returns the rest."""
        pending = {above for copying in waiting for above in _folders_above(copying.file.name)}
        shown, rest = list[Copying](), list[Copying]()
        for copying in ready:
            (rest if copying.file.name.rpartition("/")[0] in pending else shown).append(copying)
        for copying in shown:
            copying.show()
        self._index.note_held([copying.file for copying in shown], time.time())
        return rest

    def _forget_what_is_gone(self, name: str) -> None:
        """Take note of copies that somebody removed or cut short; a cache may be emptied at any time."""
        held = self._index.held(name)
        self._index.forget_copies(file.name for file in held if _is_short(self._folder / file.name, file.size))

    def _count(self, waiting: list[Copying]) -> int:
        """How many of these are asked for at once: never a log beside what describes it."""
        if not waiting:
            return 0
        kind, left = waiting[0].order[0], self._batch
        for count, copying in enumerate(waiting[:_MOST_FILES]):
            if count and (copying.order[0] != kind or left <= 0):
                return count
            left -= min(copying.missing_bytes, self._batch)
        return min(len(waiting), _MOST_FILES)

    def _copy_batch(self, place: Place, batch: list[Copying]) -> list[Copying]:
        """Copy a part of each; returns those of which more is to come."""
        if not batch:
            return []
        self._make_room(sum(copying.missing_bytes for copying in batch))
        spans = [copying.next_span(self._batch) for copying in batch]
        started = time.monotonic()
        contents = _contents(place, batch, spans)
        self._adapt(time.monotonic() - started)
        complete, unfinished, errors = list[KnownFile](), list[Copying](), list[Exception]()
        for copying, span, content in zip(batch, spans, contents, strict=True):
            if isinstance(content, Exception):
                errors.append(content)
            elif copying.take(span, content):
                if not copying.is_ready:
                    complete.append(copying.file)
            elif not copying.is_begun:
                unfinished.append(copying)
        self._index.note_held(complete, time.time())
        if len(errors) < len(batch):
            self._moved = time.monotonic()
        if lasting := [error for error in errors if not isinstance(error, FileNotFoundError)]:
            raise lasting[0]
        self._has_missed = self._has_missed or bool(errors)  # gone since they were listed
        return unfinished

    def _adapt(self, seconds: float) -> None:
        if seconds < _BRIEF:
            self._batch = min(self._batch * 2, _MOST_BATCH)
        elif seconds > _LONG:
            self._batch = max(self._batch // 2, _LEAST_BATCH)

    def _make_room(self, size: int) -> None:
        """Remove the copies that were left longest, where these many bytes would be too many. Raises FetchError."""
        excess = self._index.held_bytes() + size - MOST_BYTES
        if excess <= 0:
            return
        leaving = list[str]()
        for file in self._index.least_used(time.time() - _KEPT_SECONDS):
            if excess <= 0:
                break
            (self._folder / file.name).unlink(missing_ok=True)
            leaving.append(file.name)
            excess -= file.size
        self._index.forget_copies(leaving)
        if excess > 0:
            sentence = told(
                "the copies of {address} have reached {most}; name an address nearer to the runs",
                address=address_of(self._folder) or "",
                most=size_in_words(MOST_BYTES),
            )
            raise FetchError(sentence)


def seconds_between_looks() -> float:
    """The seconds between two listings of one address."""
    try:
        return max(float(os.environ["RLVITALS_REMOTE_SECONDS"]), 0.1)
    except (KeyError, ValueError):
        return SECONDS_BETWEEN_LOOKS


def _is_short(copy: Path, size: int) -> bool:
    try:
        return copy.stat().st_size < size
    except OSError:
        return True


def _contents(place: Place, batch: Iterable[Copying], spans: list[Span]) -> list[bytes | Exception]:
    """What the spans hold; an empty file is not asked for, since no range of it exists."""
    empty = [copying.file.size == 0 for copying in batch]
    asked = [span for span, is_empty in zip(spans, empty, strict=True) if not is_empty]
    found = iter(place.read(asked) if asked else [])
    return [b"" if is_empty else next(found) for is_empty in empty]


def _logs(name: str, files: Mapping[str, RemoteFile]) -> dict[str, RemoteFile]:
    """The files that may be logs, by their names below the server's folder."""
    folders = {above for key in files for above in _folders_above(key)}
    return {
        "/".join(filter(None, (name, key))): file
        for key, file in files.items()
        if key not in folders
        and file.size <= MOST_FILE_BYTES
        and not is_left_out(key)
        and all(map(is_file_name, key.split("/") if key else ()))
    }


def _folders_above(key: str) -> Iterator[str]:
    parts = key.split("/")
    return ("/".join(parts[:count]) for count in range(1, len(parts)))
