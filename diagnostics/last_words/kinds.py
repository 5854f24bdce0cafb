"""The kinds of endings: what a training died of or hangs in, which part each plays, and what to try."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

NOT_FINITE = "not-finite"


class Part(StrEnum):
    """The part that a sign plays in an ending."""

    ENDS = "ends"  # ends a training by itself
    HOLDS = "holds"  # may hold a training up; healthy trainings print it as well
    FOLLOWS = "follows"  # is printed by those who waited for, or looked after, what died or hung


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of ending.

    of: completes "The run died of …" · because: completes "The run hangs, by its last lines because …" ·
    summary: the ending in one sentence · remedies: names of what to try (`diagnostics.causes.remedies`)
    """

    name: str
    part: Part
    of: str
    because: str
    summary: str
    remedies: tuple[str, ...]


_ALL = (
    Kind(
        "gpu-memory",
        Part.ENDS,
        of="a GPU that ran out of memory",
        because="a GPU ran out of memory",
        summary="The training ended because a GPU ran out of memory.",
        remedies=("smaller-device-batch", "more-accumulation", "smaller-engine-share"),
    ),
    Kind(
        "node-memory",
        Part.ENDS,
        of="a node that ran low on memory",
        because="the node ran low on memory",
        summary="The training ended because the memory of its node, not that of a GPU, ran out.",
        remedies=("less-on-the-host", "later-engine"),
    ),
    Kind(
        "memory",
        Part.ENDS,
        of="a failed allocation",
        because="an allocation failed",
        summary="The training ended because memory ran out.",
        remedies=("smaller-device-batch", "more-accumulation", "smaller-engine-share"),
    ),
    Kind(
        "disk-full",
        Part.ENDS,
        of="a full disk",
        because="a disk is full",
        summary="The training ended because a disk is full.",
        remedies=("freed-disk",),
    ),
    Kind(
        "data-loader",
        Part.ENDS,
        of="the death of a data loader's worker",
        because="a data loader's worker died",
        summary="The training ended because a data loader's worker died.",
        remedies=("more-shared-memory", "less-on-the-host"),
    ),
    Kind(
        "device-fault",
        Part.ENDS,
        of="a fault of a GPU",
        because="a GPU has a fault",
        summary="The training ended because a GPU has a fault.",
        remedies=("other-device", "last-checkpoint"),
    ),
    Kind(
        NOT_FINITE,
        Part.ENDS,
        of="numbers that were NaN or infinite",
        because="its numbers are NaN or infinite",
        summary="The training ended because its numbers were NaN or infinite.",
        remedies=("checked-reward", "clipped-gradient", "earlier-checkpoint"),
    ),
    Kind(
        "time-limit",
        Part.ENDS,
        of="its job's time limit",
        because="its job reached its time limit",
        summary="The training ended because its job reached its time limit.",
        remedies=("last-checkpoint",),
    ),
    Kind(
        "grader",
        Part.HOLDS,
        of="a reward function that did not come back",
        because="a reward function does not come back",
        summary="A reward function did not come back from an answer.",
        remedies=("bounded-grader", "stacks-of-the-wait"),
    ),
    Kind(
        "network",
        Part.HOLDS,
        of="a server that did not answer",
        because="a server does not answer",
        summary="A server did not answer.",
        remedies=("offline-services",),
    ),
    Kind(
        "collective",
        Part.FOLLOWS,
        of="processes that waited for one another",
        because="processes wait for one another",
        summary="The processes of the training waited for one that did not come.",
        remedies=("stacks-of-the-wait", "bounded-wait", "last-checkpoint"),
    ),
    Kind(
        "engine",
        Part.FOLLOWS,
        of="the death of its rollout engine",
        because="its rollout engine died",
        summary="The rollout engine died.",
        remedies=("engine-log", "smaller-engine-share", "last-checkpoint"),
    ),
    Kind(
        "killed",
        Part.FOLLOWS,
        of="a kill",
        because="one of its processes was killed",
        summary="A process of the training was killed: by a person, by the kernel for lack of memory, or by a job's "
        "end.",
        remedies=("kernel-log", "less-on-the-host", "last-checkpoint"),
    ),
    Kind(
        "worker-died",
        Part.FOLLOWS,
        of="the death of one of its processes",
        because="one of its processes died",
        summary="A process of the training died, and the others with it.",
        remedies=("first-error", "last-checkpoint"),
    ),
)

KINDS: Mapping[str, Kind] = {kind.name: kind for kind in _ALL}
MEMORY_KINDS = frozenset({"gpu-memory", "node-memory", "memory"})
