"""What the page says of a training that waits in the queue."""

from pathlib import Path

from diagnostics.language import _
from diagnostics.visible_text import one_line
from trainer.launch import LaunchError
from trainer.launch.queue import Job, Queue, State
from trainer.launch.queue.submitting import before_it


def waiting_sentence(run_dir: Path) -> str | None:
    """How many are before the training of this folder; None where it does not wait."""
    try:
        jobs = Queue.of_user().jobs()
    except LaunchError:
        return None
    waiting = (job for job in jobs if job.state is State.QUEUED and job.spec.run_dir == run_dir.absolute())
    return next((_sentence(job, jobs) for job in waiting), None)


def _sentence(job: Job, jobs: list[Job]) -> str:
    words = _("{run} is queued, {count} before it; it starts by itself.")
    return words.format(run=one_line(job.spec.name), count=before_it(job, jobs))
