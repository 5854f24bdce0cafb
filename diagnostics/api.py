"""What everybody calls: open a run, find runs, watch one grow, diagnose it. Readers × producers → Run → Diagnosis."""

import math
import operator
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from diagnostics.addresses import AddressError, local_path
from diagnostics.assemble.assembler import Assembler
from diagnostics.assemble.merge import Merger
from diagnostics.foreign_files import TimedOut, time_limit
from diagnostics.foreign_files.bounds import POLL_SECONDS
from diagnostics.model.diagnosis import Diagnosis, LimitOverrides
from diagnostics.model.messages import shortened
from diagnostics.model.recording import Recording
from diagnostics.model.run import Run
from diagnostics.producers.names_file import NamesError, names_above
from diagnostics.producers.own_names import NO_NAMES, OwnNames
from diagnostics.project import ProjectFile
from diagnostics.readers.base import Reader, RunRef, UnreadableRun
from diagnostics.readers.discovery import find, open_readers
from diagnostics.remote.following import bring_run, copied_paths, find_there, keep_following
from diagnostics.told import told

__all__ = ["LiveDiagnosis", "LiveRun", "RunRef", "UnreadableRun", "diagnose", "find_runs", "open_run", "watch"]

LONGEST_NAME = 4096
"""Characters of a run's name, as many as a path may have on Linux: a database may hold a name of any length."""

SHARE_OF_A_CORE = 0.1
"""The share of its thread's time that a LiveDiagnosis spends on diagnosing, by default."""


_Named = TypeVar("_Named", Recording, RunRef)


class LiveRun:
    """Polls a run; each refresh reads only appended bytes.

    A run that lies elsewhere is read from its copy, which is brought up to date in the background for as long as it is
    polled. Not thread-safe.
    """

    def __init__(
        self,
        run: str | Path | RunRef,
        names: OwnNames | None = None,
        follows: Callable[[Path], bool] = lambda link: True,
    ) -> None:
        """Raises UnreadableRun where a path holds no run, or several; NotHereYet where it is still being fetched.

        Args:
            run: Its path, its address such as s3://bucket/runs/a, or what `find_runs` found.
            names: What the producer's tags mean; without them the nearest rlvitals.toml in the run's folder or above
                it says so, where there is one.
            follows: Whether a link to a folder is followed in search of the run.
        """
        self.path = run.path if isinstance(run, RunRef) else _local_path(run)
        found = run if isinstance(run, RunRef) else self.path
        self._copied = copied_paths(found)
        bring_run(self.path, self._copied)
        with _explained(self.path):
            self._readers = open_readers(found, follows)
        self._recordings: tuple[Recording, ...] = ()
        self._unread: tuple[str, ...] = ()  # why some of the logs could not be read
        self._merger = Merger()
        self._composer = Assembler(_names_above(self.path) if names is None else names)
        self._project_file = ProjectFile(self.path)
        self._run: Run | None = None

    def refresh(self) -> Run | None:
        """The run as it stands now, or None if nothing changed since the last call. Raises UnreadableRun.

        The first call returns the run. A change is new data, another status, or what the project's rlvitals.toml says
        of limits and mutes; without one this costs microseconds.
        """
        keep_following(self._copied)
        recordings, unread = self._read_all()
        project = self._project_file.newest()
        if self._run is None or unread != self._unread or not _are_the_same(recordings, self._recordings):
            self._recordings, self._unread = recordings, unread
            merged = _with_bounded_name(self._merger.merge(recordings))
            merged = replace(merged, notes=(*merged.notes, *unread)) if unread else merged
            self._run = replace(self._composer.compose(merged, observed_at=time.time()), project=project)
        elif project is not self._run.project:
            self._run = replace(self._run, project=project)
        else:
            return None
        return self._run

    def _read_all(self) -> tuple[tuple[Recording, ...], tuple[str, ...]]:
        """What the logs hold, and why some of them could not be read. Raises UnreadableRun if none could."""
        found, errors = list[Recording](), list[UnreadableRun]()
        for reader in self._readers:
            try:
                found.append(self._read(reader))
            except UnreadableRun as error:
                errors.append(error)
        if not found:
            raise errors[0]
        return tuple(found), tuple(error.sentence for error in errors)

    def _read(self, reader: Reader) -> Recording:
        with _explained(self.path):
            return reader.refresh()


def _with_bounded_name(found: _Named) -> _Named:
    name = found.name
    return found if len(name) <= LONGEST_NAME else replace(found, name=shortened(name, LONGEST_NAME))


def _are_the_same(recordings: Sequence[Recording], others: Sequence[Recording]) -> bool:
    return len(recordings) == len(others) and all(map(operator.is_, recordings, others))


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Raises UnreadableRun with a sentence where the system refuses a log, or where it is too much to read."""
    try:
        with time_limit(POLL_SECONDS):
            yield
    except OSError as error:
        raise UnreadableRun(
            path, told("{path} cannot be read: {why}", path=error.filename or path, why=error.strerror or error)
        ) from error
    except TimedOut as error:
        raise UnreadableRun(
            path, told("{path} {why} to read; asking again goes on where it ended", path=path, why=error)
        ) from error
    except MemoryError as error:
        raise UnreadableRun(
            path, told("{path} cannot be read: it does not fit into the memory of this machine", path=path)
        ) from error


def open_run(path: str | Path | RunRef, names: OwnNames | None = None) -> Run:
    """The one run at or below a path, whatever the format of its logs, or a run that `find_runs` found.

    `names` says what the producer's tags mean, as for LiveRun. Raises UnreadableRun with one sentence where there is no
    run, more than one, or one that cannot be read.
    """
    run = LiveRun(path, names).refresh()
    assert run is not None  # the first refresh always returns a run
    return run


def _local_path(path: str | Path) -> Path:
    try:
        return local_path(path)
    except AddressError as error:
        raise UnreadableRun(Path(path), str(error)) from error


def _names_above(path: Path) -> OwnNames:
    try:
        return names_above(path) or NO_NAMES
    except NamesError as error:
        raise UnreadableRun(path, str(error)) from error


def find_runs(path: str | Path, follows: Callable[[Path], bool] = lambda link: True) -> list[RunRef]:
    """Every run at or below a path, unread, in the order of their paths; none where the path holds none or is missing.

    What lies at an address such as s3://bucket/runs is listed, and the beginnings of its logs are fetched. The paths of
    its runs are those of their copies, which `open_run` brings up to date.

    A run directory is not descended into, and links to a run that is found anyway are left out. `open_run` says in a
    sentence why a path holds no run. Raises nothing but Cancelled, inside `cancelled_when`.

    Args:
        follows: Whether a link to a folder is followed.
    """
    try:
        place = local_path(path)
    except AddressError:
        return []
    find_there(place)
    return [_with_bounded_name(ref) for ref in find(place, follows)]


def watch(path: str | Path, interval: float = 0.5) -> Iterator[Run]:
    """The run now and after each change, polled every `interval` seconds until it has ended.

    Raises UnreadableRun as `open_run` does.
    """
    live = LiveRun(path)
    while True:
        run = live.refresh()
        if run is not None:
            yield run
            if run.status.has_ended:
                return
        time.sleep(interval)


def diagnose(run: Run, limits: LimitOverrides | None = None) -> Diagnosis:
    """The verdict on a run: every rule's outcome, the causes that explain them, and what its settings alone say.

    `limits` overrides defaults: rule name → field of its Limits → value. Raises UnknownLimitError where one of them
    does not exist.
    """
    from diagnostics.judge import judge  # noqa: PLC0415 - rules and causes are most of the code; finding runs needs none

    return judge(run, limits or {})


class LiveDiagnosis:
    """Diagnoses one run while it grows: in full each time, within a bounded share of one core.

    After a diagnosis that took c seconds the next one starts c / share − c seconds later at the earliest. A run that
    has ended, or whose project file has changed, is diagnosed at once. Not thread-safe.
    """

    def __init__(
        self,
        limits: LimitOverrides | None = None,
        *,
        share: float = SHARE_OF_A_CORE,
        clock: Callable[[], float] = time.monotonic,
        cost_clock: Callable[[], float] | None = None,
    ) -> None:
        """`cost_clock` tells what a diagnosis costs where that is not the time that passes: `time.thread_time`."""
        self._limits, self._share, self._clock, self._cost_clock = limits, share, clock, cost_clock or clock
        self._latest: Diagnosis | None = None
        self._due = -math.inf

    def update(self, run: Run) -> Diagnosis:
        """The diagnosis of this run, or the latest one while the next is not due; its `run` says which.

        Raises UnknownLimitError as `diagnose` does.
        """
        latest = self._latest
        if latest is not None and (latest.run is run or not self._is_due(run, latest.run)):
            return latest
        self._latest = self._timed(run)
        return self._latest

    def _is_due(self, run: Run, before: Run) -> bool:
        return run.status.has_ended or run.project is not before.project or self._clock() >= self._due

    def _timed(self, run: Run) -> Diagnosis:
        started, cost = self._clock(), self._cost_clock()
        diagnosis = diagnose(run, self._limits)
        self._due = started + (self._cost_clock() - cost) / self._share
        return diagnosis
