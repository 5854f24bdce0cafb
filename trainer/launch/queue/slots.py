"""The slots of the queue: how many trainings run at once, and on what."""

import os
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from trainer.launch.error import LaunchError
from trainer.launch.queue.job import Job

MOST_SLOTS = 256
_GPU_DEVICE = re.compile(r"nvidia\d+")


@dataclass(frozen=True, slots=True)
class Slots:
    """How many jobs without a GPU run at once, and how many GPUs take one each."""

    cpu: int
    gpu: int

    @classmethod
    def of_machine(cls) -> "Slots":
        """What a machine gets unless its user says otherwise: a slot for each GPU, and one for each two cores."""
        return cls(max(1, (os.cpu_count() or 1) // 2), gpu_count())

    @property
    def names(self) -> tuple[str, ...]:
        """`gpu-0`, `gpu-1`, …, then `cpu-1`, `cpu-2`, …"""
        gpus = (f"gpu-{index}" for index in range(self.gpu))
        return (*gpus, *(f"cpu-{number}" for number in range(1, self.cpu + 1)))

    @property
    def usual(self) -> str:
        """What a job asks for that says nothing."""
        return "gpu" if self.gpu else "cpu"

    def check(self, asks: str) -> None:
        """Raises LaunchError where no slot could ever take a job that asks for this."""
        if not any(fits(asks, name) for name in self.names):
            has = ", ".join(self.names) or "none"
            raise LaunchError(
                f"no slot here takes a job that asks for {asks!r}; the slots are {has}; "
                "change them with: rlvitals queue slots CPUS --gpus GPUS"
            )


def gpu_count() -> int:
    """The number of NVIDIA GPUs of this machine."""
    try:
        return sum(bool(_GPU_DEVICE.fullmatch(entry.name)) for entry in Path("/dev").iterdir())
    except OSError:
        return 0


def fits(asks: str, slot: str) -> bool:
    """Whether a slot takes a job that asks for "cpu", "gpu" or a slot's own name."""
    return asks in (slot, slot.partition("-")[0])


def next_starts(queued: Sequence[Job], slots: Slots, busy: Collection[str]) -> list[tuple[Job, str]]:
    """The queued jobs that can start now, each with its slot, the first in the queue first.

    A job whose kind of slot is taken does not hold up one that asks for another kind; one that runs on a cluster waits
    there.
    """
    free = [name for name in slots.names if name not in busy]
    starts = []
    for job in queued:
        if job.spec.executor:
            starts.append((job, f"{job.spec.executor}-{job.id}"))
            continue
        slot = next((name for name in free if fits(job.spec.asks, name)), None)
        if slot is not None:
            free.remove(slot)
            starts.append((job, slot))
    return starts


def variables_of(slot: str) -> dict[str, str]:
    """What a job sees of the GPUs: its own, or none; on a cluster, those that it gets there."""
    kind, _, index = slot.partition("-")
    if kind not in ("cpu", "gpu"):
        return {}
    return {"CUDA_VISIBLE_DEVICES": index if kind == "gpu" else ""}
