"""Jobs and slots as JSON's own types, for programs and for the page."""

from collections.abc import Sequence
from typing import Any

from trainer.launch.queue.job import Job, State
from trainer.launch.queue.places import console_of, run_of
from trainer.launch.queue.resources import resources_of
from trainer.launch.queue.slots import Slots
from trainer.launch.queue.store import Queue
from trainer.launch.queue.submitting import before_it

Document = dict[str, Any]


def job_documents(queue: Queue, jobs: Sequence[Job], known: Sequence[Job]) -> list[Document]:
    """Each job as it stands; `known` are all of the queue."""
    return [_document(queue, job, known) for job in jobs]


def slot_documents(slots: Slots, known: Sequence[Job]) -> list[Document]:
    """Each slot, with the job in it."""
    holders = {job.slot: job.id for job in known if job.holds_slot}
    names = dict.fromkeys((*slots.names, *(name for name in holders if name)))
    return [{"name": name, "job": holders.get(name)} for name in names]


def _document(queue: Queue, job: Job, known: Sequence[Job]) -> Document:
    spec, used = job.spec, resources_of(job)
    run = run_of(job)
    return {
        "id": job.id,
        "name": spec.name,
        "state": str(job.state),
        "words": list(spec.words),
        "cwd": str(spec.cwd),
        "folder": str(spec.run_dir) if spec.run_dir else None,
        "run": str(run) if run else None,
        "console": str(console_of(queue, job)),
        "recipe": spec.recipe or None,
        "asks": spec.asks,
        "slot": job.slot if job.holds_slot else None,
        "before": before_it(job, known) if job.state is State.QUEUED else None,
        "attempts": job.attempts,
        "created": job.created,
        "began": job.began,
        "ended": job.ended,
        "pid": job.process.pid if job.process and job.holds_slot else None,
        "cpu_seconds": used.cpu_seconds if used else None,
        "memory_bytes": used.memory_bytes if used else None,
        "exit_code": job.exit_code,
        "detail": job.detail,
    }
