"""The openings of logs: what each holds at its beginning, read once and kept as long as that does not change."""

import logging
from functools import lru_cache
from pathlib import Path

import numpy as np

from diagnostics.foreign_files import TimedOut, beginning_only
from diagnostics.foreign_files.bounds import BEGINNING_BYTES
from diagnostics.foreign_files.folders import files_in
from diagnostics.model.recording import Recording
from diagnostics.readers.base import RunRef, UnreadableRun, format_named, load
from diagnostics.readers.evidence import are_one_training, are_two_trainings, telling_points
from diagnostics.runlog import EVENTS_FILE

MOST_OPENINGS, MOST_ANSWERS = 256, 1 << 16  # that are remembered
_FIRST_STEPS = 3  # whose values find the logs worth comparing
_log = logging.getLogger(__name__)
_Stamp = tuple[tuple[str, int, int], ...]
_Key = tuple[str, Path, _Stamp]


def hold_one_training(one: RunRef, two: RunRef) -> bool | None:
    """Whether the values of two logs are those of one training; None where they do not tell."""
    return _compared(_key(one), _key(two))


def hold_two_trainings(one: RunRef, two: RunRef) -> bool:
    """Whether the values of two logs are those of different trainings, wherever they lie."""
    return _told_apart(_key(one), _key(two))


def first_values(ref: RunRef) -> frozenset[str]:
    """The values of a log's first steps, shortened: logs with some of them in common are worth comparing."""
    return _first_values(_key(ref))


def files_of(ref: RunRef) -> tuple[Path, ...]:
    """The files that a log consists of: itself, those in its folder, or in its checkpoints' folders."""
    if ref.path.parent.is_file():
        return (ref.path.parent,)  # one of several runs in it
    if not ref.path.is_dir():
        return (ref.path,)
    marks = format_named(ref.format).marks
    beside = files_in(ref.path, *marks)
    own = ref.path / EVENTS_FILE  # of a run directory, whose mark is a file that never grows
    if own.is_file():
        return (*beside, own)
    return tuple(beside or sorted(file for mark in marks for file in ref.path.glob(f"*/{mark}")))


def _key(ref: RunRef) -> _Key:
    """Changes while the beginning of the log is still being written."""
    try:
        stats = [(str(file), file.stat()) for file in files_of(ref)]
    except OSError:  # gone just now
        stats = []
    stamp = tuple((file, stat.st_ino, min(stat.st_size, BEGINNING_BYTES)) for file, stat in stats)
    return ref.format, ref.path, stamp


@lru_cache(MOST_ANSWERS)
def _compared(one: _Key, two: _Key) -> bool | None:
    first, second = _opening(one), _opening(two)
    return None if first is None or second is None else are_one_training(first, second)


@lru_cache(MOST_ANSWERS)
def _told_apart(one: _Key, two: _Key) -> bool:
    first, second = _opening(one), _opening(two)
    return first is not None and second is not None and are_two_trainings(first, second)


@lru_cache(MOST_ANSWERS)
def _first_values(key: _Key) -> frozenset[str]:
    opening = _opening(key)
    found = set[str]()
    for name, series in telling_points(opening).items() if opening else ():
        first = np.isin(series.steps, np.unique(series.steps)[:_FIRST_STEPS]) & np.isfinite(series.values)
        values = series.values[first].tolist()
        found.update(f"{name} {value:.2e}" for value in values if not value.is_integer())
    return frozenset(found)


@lru_cache(MOST_OPENINGS)
def _opening(key: _Key) -> Recording | None:
    form, path, _ = key
    try:
        with beginning_only():
            return load(format_named(form)).Reader(path).refresh()
    except TimedOut:
        raise
    except (UnreadableRun, ImportError, OSError):
        return None
    except Exception:  # a bug in one reader must not hide the runs of the others
        _log.debug("reading the beginning of %s failed", path, exc_info=True)
        return None
