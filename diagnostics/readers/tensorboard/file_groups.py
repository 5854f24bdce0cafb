"""Groups the event files of one folder by training: restarts belong to one training, separate trainings do not."""

import re
import struct
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from pathlib import Path

from diagnostics.foreign_files.folders import files_in
from diagnostics.readers.tensorboard.decode.records import Records
from diagnostics.readers.tensorboard.events import decode_event

EVENT_FILES = "events.out.tfevents.*"
HEAD_RECORDS = 300  # read from each of several files: more than one step of any trainer
HEAD_BYTES = 1 << 16  # the head of a file this large no longer changes
_NAME = re.compile(r"tfevents\.(?P<seconds>\d+)(?:\.(?P<process>.+\.\d+)\.(?P<count>\d+))?")


def event_files(folder: Path) -> tuple[Path, ...]:
    """The event files directly in a folder, oldest first by the time and the writer count in their names."""
    found = files_in(folder, EVENT_FILES)
    return tuple(sorted(found, key=lambda path: (opened_at(path), _count(path), path.name)))


def opened_at(file: Path) -> int:
    """When an event file was opened, in seconds since the epoch according to its name; 0 if the name does not say."""
    match = _NAME.search(file.name)
    return int(match["seconds"]) if match else 0


def _count(file: Path) -> int:
    """The number of writers its process had opened before: two may start within one second."""
    match = _NAME.search(file.name)
    return int(match["count"] or 0) if match else 0


def group_by_training(files: tuple[Path, ...]) -> list[tuple[Path, ...]]:
    """The event files of each training, oldest first."""
    if len(files) <= 1:
        return [files] if files else []
    found: list[tuple[_Head, list[Path]]] = []
    for file in files:
        head = _head(file, file.stat().st_ino, min(file.stat().st_size, HEAD_BYTES))
        if found and _continues_training(found[-1][0], head):
            earlier, members = found[-1]
            found[-1] = _joined(earlier, head), [*members, file]
        else:
            found.append((head, [file]))
    return [tuple(members) for _, members in found]


@dataclass(frozen=True, slots=True)
class _Head:
    """The start of an event file: its writer, first step and tags."""

    process: str | None
    first_step: int | None
    tags: frozenset[str]


def _continues_training(training: _Head, file: _Head) -> bool:
    """Whether a file continues a training: a restart begins at a later step, a new training at the same one.

    TRL's old PPOTrainer puts every run of a project into one folder; other trainers resume into their folder.
    """
    if training.first_step is None or file.first_step is None:
        return True
    is_same_process = training.process is not None and training.process == file.process
    return is_same_process or not training.tags & file.tags or file.first_step > training.first_step


def _joined(training: _Head, file: _Head) -> _Head:
    steps = [step for step in (training.first_step, file.first_step) if step is not None]
    return replace(training, first_step=min(steps, default=None), tags=training.tags | file.tags)


def only_tag(file: Path) -> str:
    """The tag of all scalars at the start of an event file; empty if there are several tags, or none."""
    found = file.stat()
    return _only_tag(file, found.st_ino, min(found.st_size, HEAD_BYTES))


@lru_cache(maxsize=4096)
def _only_tag(file: Path, inode: int, size: int) -> str:  # as with _head
    tags = (tag for _, tag in _scalars_at_start(file))
    first = next(tags, "")
    return first if all(tag == first for tag in tags) else ""


@lru_cache(maxsize=4096)
def _head(file: Path, inode: int, size: int) -> _Head:  # inode and size: a growing head is read again
    scalars = list(_scalars_at_start(file))
    match = _NAME.search(file.name)
    return _Head(
        process=match["process"] if match else None,
        first_step=min((step for step, _ in scalars), default=None),
        tags=frozenset(tag for _, tag in scalars),
    )


def _scalars_at_start(file: Path) -> Iterator[tuple[int, str]]:
    """The step and the tag of each scalar, read no further than asked for."""
    for payload in islice(Records(file).payloads(), HEAD_RECORDS):
        with suppress(ValueError, struct.error):
            event = decode_event(payload, with_histograms=False)
            yield from ((event.step, point.tag) for point in event.points if point.value is not None)
