"""How a job ended, from its exit code where that is known, else from what its run wrote; and ending one."""

import os
import signal

from diagnostics.runlog import ENDED_STATES
from diagnostics.runlog.process import ProcessIdentity, boot_id
from trainer.launch.error import LaunchError
from trainer.launch.executors.following import kill as kill_elsewhere
from trainer.launch.queue.job import Job, State
from trainer.launch.queue.places import console_of, last_line, remove_leftovers, run_of, status_of
from trainer.launch.queue.store import Queue
from trainer.launch.stopping import stop

KILL, STOP = "kill", "stop"
_TAKEN_OUT = "taken out of the queue before it began"


def how_it_ended(queue: Queue, job: Job, exit_code: int | None) -> tuple[State, str]:
    """The state of a job whose process is gone, and a sentence on it. `exit_code` is None where nobody waited."""
    status = status_of(job)
    said = status.state if status else ""
    if job.wish == KILL:
        return State.KILLED, "killed as asked"
    if exit_code == 0 or (exit_code is None and said in ("finished", "stopped")):
        if said == "stopped" or job.wish == STOP:
            return State.FINISHED, f"stopped at step {status.step}" if status else "stopped as asked"
        return State.FINISHED, ""
    if exit_code is None and said in ENDED_STATES and status is not None:
        return State.FAILED, status.error or "the training failed"
    if exit_code is None:
        return State.FAILED, _gone(job)
    if exit_code < 0:
        name = signal.Signals(-exit_code).name if -exit_code in list(signal.Signals) else f"signal {-exit_code}"
        asked = " as asked, before it could end by itself" if job.wish == STOP else ""
        return State.KILLED, f"ended by {name}{asked}"
    error = (status.error if status else None) or last_line(console_of(queue, job))
    return State.FAILED, error or f"it ended with {exit_code}"


def ask_to_stop(queue: Queue, number: int) -> Job:
    """Let a job finish its step, save and end; one that is queued is taken out. Raises LaunchError."""
    job = queue.job(number)
    if _was_taken_out(queue, job):
        return queue.job(number)
    _check_runs(job)
    queue.wish(job, STOP)  # first: its end may be noted before the next line
    try:
        _stop(job)
    except LaunchError:
        queue.wish(job, "")
        raise
    return queue.job(number)


def _stop(job: Job) -> None:
    """Signal the training that proves itself, else all of the session that the queue started."""
    folder, status = run_of(job), status_of(job)
    if job.spec.executor:
        _signal(job, signal.SIGTERM)  # whoever follows it hands that on
    elif folder is not None and status is not None and status.process is not None and status.state not in ENDED_STATES:
        stop(folder)
    else:
        _signal(job, signal.SIGTERM)


def kill(queue: Queue, number: int) -> Job:
    """End a job and all processes that it started at once, without a checkpoint.

    Raises:
        LaunchError: There is no such job, or it has ended; or its cluster cannot be asked: then it is only no longer
            followed.
    """
    job = queue.job(number)
    if _was_taken_out(queue, job):
        return queue.job(number)
    _check_runs(job)
    queue.wish(job, KILL)
    try:
        if job.spec.executor and job.spec.run_dir:
            kill_elsewhere(job.spec.run_dir)
    except LaunchError as error:
        raise LaunchError(f"job {number} is no longer followed, but may go on on its cluster: {error}") from error
    finally:
        _signal(job, signal.SIGKILL)
    return queue.job(number)


def _was_taken_out(queue: Queue, job: Job) -> bool:
    """Whether it was queued still, and is no more."""
    if not queue.give_up(job.id, State.KILLED, _TAKEN_OUT):
        return False
    remove_leftovers(job.spec)
    return True


def _check_runs(job: Job) -> None:
    if not job.holds_slot or job.process is None:
        raise LaunchError(f"job {job.id} has ended already ({job.state}); there is nothing to stop")


def _signal(job: Job, number: signal.Signals) -> None:
    """Signal the job's session, whose leader is the very process that the queue started."""
    process = job.process
    if process is None or not process.is_alive:
        raise LaunchError(f"the process of job {job.id} is gone; the queue notes it within seconds")
    try:
        os.killpg(process.pid, number)
    except ProcessLookupError as error:
        raise LaunchError(f"the process of job {job.id} is gone; the queue notes it within seconds") from error


def _gone(job: Job) -> str:
    process: ProcessIdentity | None = job.process
    if process is not None and process.boot_id != boot_id():
        return "the machine was restarted while it ran"
    return "its process is gone, and nothing says how it ended"
