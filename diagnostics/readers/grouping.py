"""Groups logs of the same run: a trainer may write TensorBoard, W&B, trackio and files at once.

Only names and the first bytes of files are used. Logs belong together if they are in one trainer's output folder, or if
they were opened within a minute of each other and no other log is as close in the folder tree.
"""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace
from operator import itemgetter
from pathlib import Path

from diagnostics.readers.base import FORMATS, RunRef, format_named, load

SECONDS_BETWEEN_ENDS = 600.0  # between a tracker's last write and the console's
SECONDS_APART = 60.0  # between opening two trackers, including imports and logins
_FOLLOWERS = frozenset(  # what a trainer writes beside its tracker's log
    {"trainer-state", "completions", "samples", "samples-parquet", "trajectories"}
)
_FOLLOWING_TABLES = frozenset({"logging.jsonl", "trainer_log.jsonl"})  # ms-swift, LLaMA-Factory
_ORDER = {form.name: place for place, form in enumerate(FORMATS)}


def group_runs(refs: Iterable[RunRef]) -> list[RunRef]:
    """One reference per run; further logs of the run become parts of the leading one."""
    found = _by_start(_by_home(_without_copies(list(refs))))
    below = _logs_by_folder(member for ref in found for member in members(ref))
    common = [_at_common_folder(ref, below) for ref in found]
    return sorted(common, key=lambda ref: str(ref.path))


def members(ref: RunRef) -> tuple[RunRef, ...]:
    """Every log of a run, the leading one first."""
    return (replace(ref.parts[0], parts=()), *ref.parts[1:]) if ref.parts else (ref,)


def _without_copies(refs: list[RunRef]) -> list[RunRef]:
    """Leave out console output if the only other log in its folder or below is a tracker's log of the same training.

    The tracker's log says more. They count as the same training if both were last written at about the same time; our
    own run directories contain their console output.
    """
    printed = [ref for ref in refs if ref.format == "console"]
    texts, logs = (
        _logs_by_folder(printed),
        _logs_by_folder(ref for ref in refs if ref.format != "console" and not _is_attached(ref)),
    )
    copies = {id(ref) for ref in printed if ref.home and len(texts[ref.home]) == 1 and _is_copy(ref, logs[ref.home])}
    return [ref for ref in refs if id(ref) not in copies]


def _is_copy(ref: RunRef, logs: Sequence[RunRef]) -> bool:
    if len(logs) != 1 or logs[0].format == "rlvitals":
        return False
    return abs(_last_written(ref.path) - _last_written(logs[0].path)) <= SECONDS_BETWEEN_ENDS


def _last_written(path: Path) -> float:
    """When a file, or any file directly in a folder, was last written, in seconds since the epoch; 0 if none was."""
    try:
        files = [file for file in path.iterdir() if file.is_file()] if path.is_dir() else [path]
        return max((file.stat().st_mtime for file in files), default=0.0)
    except OSError:  # gone, or a run within a database
        return 0.0


def _by_home(refs: list[RunRef]) -> list[RunRef]:
    """Attach files in an output folder to the log in it, to the newest log if there are several."""
    followers, named = defaultdict[Path | None, list[RunRef]](list), defaultdict[Path | None, list[RunRef]](list)
    for ref in refs:
        (followers if _is_attached(ref) else named)[ref.home].append(ref)
    alone = {id(ref): ref for found in named.values() for ref in found}
    below = _logs_by_folder(alone.values())
    joined: list[RunRef] = []
    for home, found in followers.items():
        leader = _leading_log(named.get(home, []), below.get(home, []) if home else [], alone)
        if leader is not None:
            del alone[id(leader)]
        joined.append(_joined([*([leader] if leader else []), *found]))
    return [*alone.values(), *joined]


def _is_attached(ref: RunRef) -> bool:
    return ref.format in _FOLLOWERS or ref.path.name in _FOLLOWING_TABLES


def _leading_log(named: Sequence[RunRef], below: Sequence[RunRef], alone: Container[int]) -> RunRef | None:
    """The log that attached files belong to: the newest in their folder, else the only one below it."""
    free = [ref for ref in named if id(ref) in alone]
    if free or len(below) != 1 or id(below[0]) not in alone:
        return max(free, key=lambda ref: start_time(ref) or 0.0, default=None)
    return None if below[0].format == "rlvitals" else below[0]


def _logs_by_folder(refs: Iterable[RunRef]) -> dict[Path, list[RunRef]]:
    """The logs in and below each folder."""
    found = defaultdict[Path, list[RunRef]](list)
    for ref in refs:
        for folder in (ref.path, *ref.path.parents):
            found[folder].append(ref)
    return found


def _by_start(refs: list[RunRef]) -> list[RunRef]:
    """Join logs of different formats that were opened at the same time, if the match is unambiguous."""
    if len({ref.format for ref in refs}) < 2:
        return refs
    dated = [(start, ref) for ref in refs if ref.format != "rlvitals" and (start := start_time(ref)) is not None]
    dated.sort(key=itemgetter(0))
    starts, begun = [start for start, _ in dated], {id(ref): start for start, ref in dated}
    waiting, found = {id(ref): ref for ref in refs}, list[RunRef]()
    for ref in refs:
        if waiting.pop(id(ref), None) is None:
            continue
        near: list[RunRef] = []
        if (start := begun.get(id(ref))) is not None:
            window = dated[bisect_left(starts, start - SECONDS_APART) : bisect_right(starts, start + SECONDS_APART)]
            near = [other for _, other in window if id(other) in waiting and not _formats(other) & _formats(ref)]
        same = [other for other in near if _is_the_closest(ref, other, near)]
        for other in same:
            del waiting[id(other)]
        found.append(_joined([member for one in (ref, *same) for member in members(one)]))
    return found


def _is_the_closest(ref: RunRef, other: RunRef, near: Sequence[RunRef]) -> bool:
    """Whether no third log of the same format is as close in the folder tree as this one."""
    rivals = [third for third in near if third is not other and _formats(third) & _formats(other)]
    depth = len(_common_folder([ref.path, other.path]).parts)
    return all(len(_common_folder([ref.path, third.path]).parts) < depth for third in rivals)


def _formats(ref: RunRef) -> frozenset[str]:
    return frozenset(member.format for member in members(ref))


def start_time(ref: RunRef) -> float | None:
    """When a run began, in seconds since the epoch; None if unknown."""
    starts = (load(format_named(member.format)).start_time(member.path) for member in members(ref))
    return next((start for start in starts if start is not None), None)


def _joined(refs: Sequence[RunRef]) -> RunRef:
    """One reference at the leading log that carries all of them."""
    ordered = sorted(refs, key=lambda ref: _ORDER[ref.format])
    return replace(ordered[0], parts=tuple(ordered)) if len(ordered) > 1 else ordered[0]


def _at_common_folder(ref: RunRef, below: Mapping[Path, Sequence[RunRef]]) -> RunRef:
    """The reference moved to the folder that contains all its logs, if no other run is below it."""
    if not ref.parts:
        return ref
    folder = _common_folder([member.path for member in ref.parts])
    return replace(ref, path=folder) if len(below[folder]) == len(ref.parts) else ref


def _common_folder(paths: Sequence[Path]) -> Path:
    return next(
        parent for parent in (paths[0], *paths[0].parents) if all(path.is_relative_to(parent) for path in paths)
    )
