"""Groups the logs of one training, on evidence alone: a trainer may write TensorBoard, W&B, trackio and files at once.

Logs belong together where one lies in the other's folder, where one is a copy of the other, or where both hold equal
values at equal steps. What lies in one folder is still of two trainings where its values are. That two trainings began
together is no evidence: it only tells which logs are worth comparing.
"""

from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from diagnostics.readers.base import RunRef
from diagnostics.readers.copies import copies_among
from diagnostics.readers.equal_values import joined_by_values
from diagnostics.readers.followed import without_followed
from diagnostics.readers.openings import hold_one_training, hold_two_trainings
from diagnostics.readers.run_parts import (
    OWN,
    SAMPLES,
    STATE,
    common_folder,
    joined_ref,
    logs_by_folder,
    members,
    start_time,
)

_CONSOLE = "console"
_FOLDERS_OF_ONE_RUN = frozenset({"wandb", "swanlab"})
_FOLLOWING_TABLES = frozenset({"logging.jsonl", "trainer_log.jsonl"})  # ms-swift, LLaMA-Factory


def group_runs(refs: Iterable[RunRef]) -> list[RunRef]:
    """One reference per run; further logs of the run become parts of the leading one."""
    found = joined_by_values(_by_home(without_followed(_without_copies(list(refs)))))
    below = logs_by_folder(member for ref in found for member in members(ref))
    common = [_at_common_folder(ref, below) for ref in found]
    return sorted(common, key=lambda ref: str(ref.path))


def _without_copies(refs: list[RunRef]) -> list[RunRef]:
    """Leave out copies, which hold nothing that their originals lack."""
    copies = {id(copy): copy for copy in copies_among(ref for ref in refs if ref.format not in SAMPLES)}
    folders = {copy.path for copy in copies.values() if copy.format in _FOLDERS_OF_ONE_RUN}
    return [ref for ref in refs if id(ref) not in copies and folders.isdisjoint(ref.path.parents)]


def _by_home(refs: list[RunRef]) -> list[RunRef]:
    """Attach what lies in a trainer's output folder, or in a tracker's folder of one run, to the log of that folder."""
    owners = {ref.path for ref in refs if ref.format in _FOLDERS_OF_ONE_RUN}
    followers, named = defaultdict[Path | None, list[RunRef]](list), defaultdict[Path | None, list[RunRef]](list)
    for ref in refs:
        owner = next((folder for folder in ref.path.parents if folder in owners), None)
        (followers if owner or _is_attached(ref) else named)[owner or ref.home].append(ref)
    alone = {id(ref): ref for found in named.values() for ref in found}
    below = logs_by_folder(alone.values())
    joined: list[RunRef] = []
    for home, found in followers.items():
        near = _candidates(named.get(home, []), below.get(home, []) if home else [], alone)
        leader = _leading_log(home, near, found)
        if leader is None:
            joined.append(joined_ref(found))
            continue
        del alone[id(leader)]
        others = [ref for ref in found if _is_of_another(ref, leader)]
        joined.append(joined_ref([leader, *(ref for ref in found if ref not in others)]))
        joined += [joined_ref(others)] if others else []
    return [*alone.values(), *joined]


def _is_of_another(ref: RunRef, leader: RunRef) -> bool:
    """Whether a log in a trainer's output folder is of another training than the folder's log, by their values."""
    is_kept = leader.format in _FOLDERS_OF_ONE_RUN  # by the tracker, in the folder of that run alone
    return not is_kept and ref.format not in SAMPLES and hold_two_trainings(ref, leader)


def _is_attached(ref: RunRef) -> bool:
    """Whether a log belongs to the one in its home; a console does only where a tracker keeps it in a run's folder."""
    folder = ref.path.parent if ref.path.is_file() else ref.path.parent.parent  # the latter for one training of several
    is_kept = ref.format == _CONSOLE and ref.home != folder
    return ref.format in SAMPLES or ref.format == STATE or ref.path.name in _FOLLOWING_TABLES or is_kept


def _candidates(named: Sequence[RunRef], below: Sequence[RunRef], alone: Container[int]) -> list[RunRef]:
    """The logs that attached files may belong to: those in their folder, else those below it."""
    free = [ref for ref in named if id(ref) in alone and ref.format != _CONSOLE]
    return free or [ref for ref in below if id(ref) in alone and ref.format not in (OWN, _CONSOLE)]


def _leading_log(home: Path | None, near: Sequence[RunRef], attached: Sequence[RunRef]) -> RunRef | None:
    """The log whose folder it is, or the only one there is.

    Of several it is the one with the values of the trainer's state; for samples alone, which each training of a folder
    writes anew, it is the newest.
    """
    owner = next((ref for ref in near if ref.path == home and ref.format in _FOLDERS_OF_ONE_RUN), None)
    if owner is not None or len(near) < 2:
        return owner or next(iter(near), None)
    state = next((ref for ref in attached if ref.format == STATE), None)
    if state is not None:
        return next((ref for ref in near if hold_one_training(ref, state)), None)
    return max(near, key=lambda ref: start_time(ref) or 0.0)


def _at_common_folder(ref: RunRef, below: Mapping[Path, Sequence[RunRef]]) -> RunRef:
    """The reference moved to the folder that contains all its logs, if no other run is below it."""
    if not ref.parts:
        return ref
    folder = common_folder([member.path for member in ref.parts])
    return replace(ref, path=folder) if len(below[folder]) == len(ref.parts) else ref
