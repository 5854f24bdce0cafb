"""Submits trainings: into the queue, and on to the start where a slot is free."""

import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from diagnostics.runlog import ENDED_STATES, RUN_FILE
from trainer.launch.consent import Consent
from trainer.launch.error import LaunchError
from trainer.launch.executors.following import follow_command
from trainer.launch.queue.job import Job, Spec, State, kept_environment
from trainer.launch.queue.places import remove_leftovers, status_of
from trainer.launch.queue.slots import Slots, next_starts
from trainer.launch.queue.store import Queue
from trainer.launch.queue.worker import ensure_worker
from trainer.launch.submission import LOCAL, Placement, cluster_task, plan_of

SECONDS_TO_BEGIN = 60.0
"""Time limit for a job whose slot is free to begin writing its run; half a second is usual."""
_LOOK_SECONDS = 0.05
_SECONDS_TO_LOOK_ALIVE = 1.0  # of a command that writes no run log: by then it would have failed


def training_spec(words: Sequence[str], run_dir: Path, asks: str, child_of: Path | None = None) -> Spec:
    """A training of the bundled trainer: `words` without --run_dir, `["train", "grpo", "--max_steps", "50"]`.

    It runs code that is trusted already alone: nobody answers questions when its turn comes. Where the words name an
    executor, the job follows the training on its cluster.

    Raises:
        ConfigError: The executor, or what is asked of it, is none.
        LaunchError: This machine cannot talk to the cluster.
    """
    placement, own = Placement.taken_from(words[1:])
    if placement.executor != LOCAL:
        return _cluster_spec(words, own, placement, run_dir.absolute(), child_of)
    command = [sys.executable, "-P", "-m", "trainer.main", *words]
    return Spec(
        name=run_dir.name,
        words=tuple(words),
        argv=(*command, "--run_dir", str(run_dir.absolute()), f"--{Consent.WITHHELD}"),
        cwd=Path.cwd(),
        environment=kept_environment(),
        run_dir=run_dir.absolute(),
        asks=asks,
        child_of=child_of,
    )


def _cluster_spec(
    words: Sequence[str], own: Sequence[str], placement: Placement, run_dir: Path, child_of: Path | None
) -> Spec:
    """The same on a cluster; `own` are the trainer's own words among the arguments."""
    task, resources = cluster_task(plan_of(words[1:]), own, run_dir, placement.resources)
    asked = {name: str(value) for name, value in resources.to_dict().items()}
    return Spec(
        name=run_dir.name,
        words=tuple(words),
        argv=follow_command(placement.executor, task, asked, run_dir),
        cwd=Path.cwd(),
        environment=kept_environment(),
        run_dir=run_dir,
        asks="",
        child_of=child_of,
        executor=placement.executor,
    )


def resume_spec(run_dir: Path, asks: str) -> Spec:
    """A run of the bundled trainer that died, failed or was stopped, from its newest checkpoint on."""
    command = [sys.executable, "-P", "-m", "trainer.main"]
    words = ("train", "--resume", str(run_dir.absolute()))
    return Spec(
        name=run_dir.name,
        words=words,
        argv=(*command, *words, f"--{Consent.WITHHELD}"),
        cwd=Path.cwd(),
        environment=kept_environment(),
        run_dir=run_dir.absolute(),
        asks=asks,
    )


def command_spec(
    argv: Sequence[str],
    cwd: Path,
    *,
    name: str = "",
    run_dir: Path | None = None,
    asks: str = "cpu",
    recipe: str = "",
    given: Mapping[str, str] | None = None,
    child_of: Path | None = None,
) -> Spec:
    """Any other command, executed as it is, without a shell."""
    return Spec(
        name=name or Path(argv[0]).name,
        words=tuple(argv),
        argv=tuple(argv),
        cwd=cwd.absolute(),
        environment=kept_environment(),
        run_dir=run_dir.absolute() if run_dir else None,
        asks=asks,
        recipe=recipe,
        given=given or {},
        child_of=child_of,
    )


def submit(specs: Sequence[Spec], queue: Queue | None = None) -> list[Job]:
    """Put jobs into the queue, all or none, and see to it that somebody works on it.

    The folder of each new run is made at once, so that the next name is free. Raises LaunchError.
    """
    queue = queue or Queue.of_user()
    try:
        for spec in specs:
            _make_folder(spec)
        jobs = queue.add(specs)
    except LaunchError:
        for spec in specs:
            remove_leftovers(spec)
        raise
    ensure_worker(queue)
    return jobs


def _make_folder(spec: Spec) -> None:
    """Of a new run of the bundled trainer, or of a recipe."""
    if not (spec.is_training or spec.recipe) or spec.run_dir is None or "--resume" in spec.words:
        return
    if (spec.run_dir / RUN_FILE).exists():
        raise LaunchError(f"{spec.run_dir} already holds a run; choose another folder")
    try:
        spec.run_dir.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise LaunchError(f"cannot create {spec.run_dir}: {error.strerror}; choose another place") from error


def start(spec: Spec, queue: Queue | None = None) -> Job:
    """Submit one job; returns it once it has begun, or at once where it has to wait for a slot.

    Raises:
        LaunchError: It ended before it wrote its run, with its own sentence; nothing of it is kept.
    """
    queue = queue or Queue.of_user()
    (job,) = submit([spec], queue)
    return await_beginning(job, queue)


def retry(number: int, queue: Queue | None = None) -> Job:
    """Queue a job that has ended once more; a run of the bundled trainer goes on where it was saved.

    Raises:
        LaunchError: It has not ended, or it has done all that it was to do.
    """
    queue = queue or Queue.of_user()
    job = queue.job(number)
    status = status_of(job)
    was_stopped = status is not None and status.state == "stopped"
    if job.state is State.FINISHED and not was_stopped:
        raise LaunchError(f"job {number} has finished; the same once more is: rlvitals queue clone {number}")
    again = queue.requeue(number)
    ensure_worker(queue)
    return again


def await_beginning(job: Job, queue: Queue) -> Job:
    """The job once its run has begun, or as it waits for a slot. Raises LaunchError as `start` does."""
    deadline = time.monotonic() + SECONDS_TO_BEGIN
    while True:
        jobs = queue.jobs()  # one look for all below: between two, a worker may take the job up
        job = next((one for one in jobs if one.id == job.id), None) or queue.job(job.id)
        if job.state is State.QUEUED and not _has_a_slot(job, jobs, queue.slots()):
            return job
        if job.has_ended and job.state is not State.FINISHED and status_of(job) is None and job.attempts <= 1:
            queue.forget(job.id)
            remove_leftovers(job.spec)
            raise LaunchError(job.detail)
        if job.has_ended or has_begun(job):
            return job
        if time.monotonic() > deadline:
            raise LaunchError(f"job {job.id} wrote nothing within {SECONDS_TO_BEGIN:.0f} s; see: rlvitals queue")
        time.sleep(_LOOK_SECONDS)


def before_it(job: Job, jobs: Sequence[Job]) -> int:
    """How many jobs run or wait before a queued one; none before one that runs on a cluster."""
    if job.spec.executor:
        return 0
    return sum(other.holds_slot or (other.state is State.QUEUED and other.position < job.position) for other in jobs)


def _has_a_slot(job: Job, jobs: Sequence[Job], slots: Slots) -> bool:
    queued = [other for other in jobs if other.state is State.QUEUED]
    busy = {other.slot or "" for other in jobs if other.holds_slot and not _is_ending(other)}
    return job.id in {other.id for other, _ in next_starts(queued, slots, busy)}


def _is_ending(job: Job) -> bool:
    """Whether its slot is free in a moment: its run has ended, or its process is gone."""
    status = status_of(job)
    return (status is not None and status.state in ENDED_STATES) or job.process is None or not job.process.is_alive


def has_begun(job: Job) -> bool:
    """Whether it writes its run; of a command that need not write one, whether it has lived for a moment."""
    if not job.holds_slot:
        return False
    if job.spec.is_training and not job.spec.executor:
        return status_of(job) is not None
    return time.time() - (job.began or 0.0) > _SECONDS_TO_LOOK_ALIVE
