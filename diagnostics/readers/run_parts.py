"""The logs that make up one run: several references become one, which lies at their common folder."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from diagnostics.readers.base import FORMATS, RunRef, format_named, load

OWN = "rlvitals"  # run directories, which hold all that their trainer wrote
STATE = "trainer-state"
SAMPLES = frozenset({"completions", "samples", "samples-parquet", "trajectories"})  # what lies beside a tracker's log
_ORDER = {form.name: place for place, form in enumerate(FORMATS)}


def members(ref: RunRef) -> tuple[RunRef, ...]:
    """Every log of a run, the leading one first."""
    return (replace(ref.parts[0], parts=()), *ref.parts[1:]) if ref.parts else (ref,)


def start_time(ref: RunRef) -> float | None:
    """When a run began, in seconds since the epoch; None if unknown."""
    starts = (load(format_named(member.format)).start_time(member.path) for member in members(ref))
    return next((start for start in starts if start is not None), None)


def formats_of_run(ref: RunRef) -> frozenset[str]:
    """The formats of a run's logs."""
    return frozenset(member.format for member in members(ref))


def formats_of(refs: Iterable[RunRef]) -> frozenset[str]:
    """The formats of several runs' logs."""
    return frozenset().union(*map(formats_of_run, refs))


def joined_ref(refs: Sequence[RunRef]) -> RunRef:
    """One reference at the leading log that carries all of them."""
    ordered = sorted(refs, key=lambda ref: (_ORDER[ref.format], str(ref.path)))
    return replace(ordered[0], parts=tuple(ordered)) if len(ordered) > 1 else ordered[0]


def logs_by_folder(refs: Iterable[RunRef]) -> dict[Path, list[RunRef]]:
    """The logs in and below each folder."""
    found = defaultdict[Path, list[RunRef]](list)
    for ref in refs:
        for folder in (ref.path, *ref.path.parents):
            found[folder].append(ref)
    return found


def common_folder(paths: Sequence[Path]) -> Path:
    """The deepest folder that contains all paths."""
    return next(
        parent for parent in (paths[0], *paths[0].parents) if all(path.is_relative_to(parent) for path in paths)
    )
