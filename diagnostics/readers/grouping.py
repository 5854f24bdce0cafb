"""Which logs tell of one and the same run: a trainer may write TensorBoard, W&B, trackio and files at once.

Nothing but names and the heads of files is read for it. Logs belong together where one trainer's output folder holds
them, or where they were opened within a minute of each other and no other log lies as near in the tree of folders.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from diagnostics.readers import FORMATS, RunRef, format_named, load

SECONDS_APART = 60.0  # from the opening of one tracker to that of the next, imports and log-ins included
_FOLLOWERS = frozenset({"trainer-state", "completions"})  # what a trainer leaves beside its tracker's log
_ORDER = {form.name: place for place, form in enumerate(FORMATS)}


def together(refs: Iterable[RunRef]) -> list[RunRef]:
    """One reference per run; the logs of one run beside the first are its parts."""
    found = _by_start(_by_home(list(refs)))
    common = [_at_common_folder(ref, found) for ref in found]
    return sorted(common, key=lambda ref: str(ref.path))


def members(ref: RunRef) -> tuple[RunRef, ...]:
    """Every log of a run, the leading one first."""
    return (replace(ref.parts[0], parts=()), *ref.parts[1:]) if ref.parts else (ref,)


def _by_home(refs: list[RunRef]) -> list[RunRef]:
    """Join what an output folder holds beside a log to that log, to the newest where there are several."""
    alone = [ref for ref in refs if ref.format not in _FOLLOWERS]
    joined: list[RunRef] = []
    for home in dict.fromkeys(ref.home for ref in refs if ref.format in _FOLLOWERS):
        followers = [ref for ref in refs if ref.format in _FOLLOWERS and ref.home == home]
        leaders = [ref for ref in alone if ref.home == home]
        newest = max(leaders, key=lambda ref: started(ref) or 0.0, default=None)
        if newest is not None:
            alone.remove(newest)
        joined.append(_joined([*([newest] if newest else []), *followers]))
    return alone + joined


def _by_start(refs: list[RunRef]) -> list[RunRef]:
    """Join logs of different formats that were opened at the same time, where that leaves no doubt."""
    if len({ref.format for ref in refs}) < 2:
        return refs
    begun = {id(ref): start for ref in refs if ref.format != "rlvitals" and (start := started(ref)) is not None}
    waiting, found = list(refs), list[RunRef]()
    while waiting:
        ref = waiting.pop(0)
        near = [other for other in waiting if _are_near(begun, ref, other) and not _formats(other) & _formats(ref)]
        same = [other for other in near if _is_the_closest(ref, other, near)]
        waiting = [other for other in waiting if other not in same]
        found.append(_joined([member for one in (ref, *same) for member in members(one)]))
    return found


def _is_the_closest(ref: RunRef, other: RunRef, near: Sequence[RunRef]) -> bool:
    """Whether no third log of the same format lies as close to a log, in the tree of folders, as this one."""
    rivals = [third for third in near if third is not other and _formats(third) & _formats(other)]
    depth = len(_common_folder([ref.path, other.path]).parts)
    return all(len(_common_folder([ref.path, third.path]).parts) < depth for third in rivals)


def _formats(ref: RunRef) -> frozenset[str]:
    return frozenset(member.format for member in members(ref))


def started(ref: RunRef) -> float | None:
    """When a run began, in seconds since the epoch; None where nothing says so."""
    starts = (load(format_named(member.format)).started(member.path) for member in members(ref))
    return next((start for start in starts if start is not None), None)


def _are_near(begun: dict[int, float], one: RunRef, other: RunRef) -> bool:
    has_both = id(one) in begun and id(other) in begun
    return has_both and abs(begun[id(one)] - begun[id(other)]) <= SECONDS_APART


def _joined(refs: Sequence[RunRef]) -> RunRef:
    """One reference that stands at the leading log and carries all of them."""
    ordered = sorted(refs, key=lambda ref: _ORDER[ref.format])
    return replace(ordered[0], parts=tuple(ordered)) if len(ordered) > 1 else ordered[0]


def _at_common_folder(ref: RunRef, found: Sequence[RunRef]) -> RunRef:
    """The reference at the folder that holds all its logs, where no other run lies below it."""
    if not ref.parts:
        return ref
    folder = _common_folder([member.path for member in ref.parts])
    others = (member.path for other in found if other is not ref for member in members(other))
    return ref if any(path.is_relative_to(folder) for path in others) else replace(ref, path=folder)


def _common_folder(paths: Sequence[Path]) -> Path:
    return next(
        parent for parent in (paths[0], *paths[0].parents) if all(path.is_relative_to(parent) for path in paths)
    )
