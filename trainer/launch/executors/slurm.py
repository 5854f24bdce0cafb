"""Jobs on a Slurm cluster: submitted through submitit, asked about by squeue and sacct, ended by scancel."""

import getpass
import importlib.util
import os
import re
import secrets
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar

from diagnostics.foreign_files import read_end, read_span
from trainer.launch.executors.executor import ExecutorError, Handle, JobState, JobStatus, Task
from trainer.launch.executors.resources import RESOURCE_HELP, Resources
from trainer.launch.executors.slurm_task import BEGUN, STOP_FILE, become

_COMMANDS = ("sbatch", "squeue", "scancel", "scontrol")
_SECONDS = 30.0  # for one of Slurm's commands; its controller may be busy, but the page waits
_SECONDS_FOR_OTHERS = 120
"""Time for the processes of a job to record an end after the first of them has ended."""
_MOST_PRINTED = 1 << 24  # bytes, that are handed on at once
_CONFIGURATION = "SLURM_CONF"
_LONGEST_NAME = 60
_STATES = {
    "PENDING": JobState.QUEUED,
    "CONFIGURING": JobState.QUEUED,
    "REQUEUED": JobState.QUEUED,
    "REQUEUE_HOLD": JobState.QUEUED,
    "REQUEUE_FED": JobState.QUEUED,
    "SPECIAL_EXIT": JobState.QUEUED,
    "RESV_DEL_HOLD": JobState.QUEUED,
    "RUNNING": JobState.RUNNING,
    "COMPLETING": JobState.RUNNING,
    "RESIZING": JobState.RUNNING,
    "SIGNALING": JobState.RUNNING,
    "STAGE_OUT": JobState.RUNNING,
    "STOPPED": JobState.RUNNING,
    "SUSPENDED": JobState.RUNNING,
    "COMPLETED": JobState.FINISHED,
    "CANCELLED": JobState.KILLED,
    "BOOT_FAIL": JobState.FAILED,
    "DEADLINE": JobState.FAILED,
    "FAILED": JobState.FAILED,
    "NODE_FAIL": JobState.FAILED,
    "OUT_OF_MEMORY": JobState.FAILED,
    "PREEMPTED": JobState.FAILED,
    "REVOKED": JobState.FAILED,
    "TIMEOUT": JobState.FAILED,
}
_TOLD = frozenset({"PENDING", "TIMEOUT", "OUT_OF_MEMORY", "NODE_FAIL", "PREEMPTED", "SUSPENDED"})
"""States whose own name says more than ours does."""


class SlurmExecutor:
    """Slurm, through the commands of this login node."""

    name: ClassVar[str] = "slurm"
    takes: ClassVar[tuple[str, ...]] = tuple(RESOURCE_HELP)

    @classmethod
    def is_here(cls) -> bool:
        """Whether this machine can talk to a Slurm cluster at all."""
        return all(shutil.which(command) for command in _COMMANDS)

    @classmethod
    def missing(cls) -> str:
        """What this machine lacks to submit jobs, as one sentence; empty where it can."""
        if lacking := [command for command in _COMMANDS if shutil.which(command) is None]:
            return f"this machine has no {', '.join(lacking)}; start it on a login node of the Slurm cluster"
        if importlib.util.find_spec("submitit") is None:
            return "this needs submitit, not installed here; install it with: pip install 'rlvitals[slurm]'"
        return ""

    def start(self, task: Task, folder: Path, resources: Resources) -> Handle:
        """Submit a job. `folder` must be one that the cluster's machines see, as the working folder must."""
        if lack := self.missing():
            raise ExecutorError(lack)
        token = f"rlvitals:{secrets.token_hex(8)}"
        cluster = _cluster()
        (folder / STOP_FILE).unlink(missing_ok=True)
        job_id = _submitted(_parameters(task, resources, token), task, folder)
        return Handle(self.name, job_id, cluster, token)

    def states(self, handles: Sequence[Handle]) -> list[JobStatus]:
        """The jobs' states by squeue, which forgets one some minutes after its end; then by sacct, where that is kept.

        A job is known by the token in its comment: ids are given again.
        """
        if not handles:
            return []
        here = _cluster()
        for handle in handles:
            _check_cluster(handle, here)
        known = _states_by_queue()
        forgotten = [handle.job_id for handle in handles if handle.token not in known]
        past = _states_by_accounting(forgotten) if forgotten else {}
        unknown = JobStatus(JobState.UNKNOWN)
        return [known.get(handle.token) or past.get(handle.job_id, unknown) for handle in handles]

    def stop(self, handle: Handle, folder: Path) -> None:
        """Take a waiting job back; send SIGTERM to every process of a running one."""
        self._check_live(handle)
        _note_stop(folder)
        _end(handle.job_id, "--state=PENDING")
        _end(handle.job_id, "--state=RUNNING", "--signal=TERM")

    def kill(self, handle: Handle) -> None:
        """Take a waiting job back; end every process of a running one at once.

        To end a job Slurm sends SIGTERM first, on which a training would save its checkpoint, so its step goes before.
        """
        self._check_live(handle)
        with suppress(ExecutorError):  # it has no step yet, or none any more
            _end(f"{handle.job_id}.0", "--signal=KILL")
        _end(handle.job_id)

    def printed(self, handle: Handle, folder: Path, since: int) -> bytes:
        """What the job's first process has printed after its first `since` bytes, errors among it, up to a bound."""
        try:
            return read_span(folder / f"{handle.job_id}_0_log.out", since, since + _MOST_PRINTED)
        except OSError:  # it has not begun
            return b""

    def console(self, folder: Path, most: int) -> bytes:
        """The end of what the first process of the newest job in this folder printed, errors among it."""
        jobs = sorted(folder.glob("*_0_log.out"), key=lambda path: path.stat().st_mtime)
        return read_end(jobs[-1], most) if jobs else b""

    def _check_live(self, handle: Handle) -> None:
        """Nothing is signalled that is not surely this very job."""
        (status,) = self.states([handle])
        if not status.is_live:
            raise ExecutorError(f"Slurm job {handle.job_id} does not wait or run any more ({status.state})")


def _note_stop(folder: Path) -> None:
    """Note in the job's folder that it is to end, for a process that is only about to start."""
    try:
        (folder / STOP_FILE).touch()
    except OSError as error:
        raise ExecutorError(f"{folder} cannot be written: {error.strerror}") from error


def _parameters(task: Task, resources: Resources, token: str) -> dict[str, Any]:
    """The job's parameters in submitit's names."""
    asked = resources.to_dict()
    asked["ntasks_per_node"] = asked.pop("tasks_per_node", 1)
    if not asked["gpus_per_node"]:
        del asked["gpus_per_node"]
    cores = [f"--cpus-per-task={resources.cpus_per_task}"] if resources.cpus_per_task else []
    begun = [f"test -e {shlex.quote(str(task.begun))} && export {BEGUN}=1"] if task.begun else []
    return {
        "time": None,  # the partition's own limit; submitit's would be five minutes
        "wckey": None,
        **asked,
        "job_name": re.sub(r"[^A-Za-z0-9_.-]", "_", task.name)[:_LONGEST_NAME] or "rlvitals",
        "comment": token,
        "stderr_to_stdout": True,
        "setup": begun,
        "srun_args": [f"--wait={_SECONDS_FOR_OTHERS}", *cores],  # since 22.05 srun does not take over sbatch's cores
        "additional_parameters": {"requeue": True},
    }


def _submitted(parameters: dict[str, Any], task: Task, folder: Path) -> str:
    """The id of the job that submitit submits with these parameters."""
    import submitit  # noqa: PLC0415 - part of the slurm extra
    from submitit.core.utils import FailedJobError, FailedSubmissionError  # noqa: PLC0415 - as above
    from submitit.helpers import clean_env  # noqa: PLC0415 - as above

    executor = submitit.SlurmExecutor(folder, python=f"{shlex.quote(sys.executable)} -P")
    executor.update_parameters(**parameters)
    configuration = os.environ.get(_CONFIGURATION)
    try:
        with clean_env():  # from within a job, too: the new one inherits nothing of it
            if configuration is not None:
                os.environ[_CONFIGURATION] = configuration
            job = executor.submit(become, list(task.command), list(task.again), str(folder))
    except (FailedJobError, FailedSubmissionError) as error:
        raise ExecutorError(f"Slurm does not take the job: {_said(str(error))}") from error
    except OSError as error:
        raise ExecutorError(f"the job cannot be submitted: {error}") from error
    return str(job.job_id)


def _said(text: str) -> str:
    """The sentence of sbatch within submitit's report of it."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    own = [line.partition("error: ")[2] for line in lines if "sbatch: error: " in line]
    return "; ".join(dict.fromkeys(own)) or (lines[-1] if lines else "it said nothing")


def _states_by_queue() -> dict[str, JobStatus]:
    """The states of this user's jobs by their comments."""
    form = "--format=%T|%r|%k"
    code, told, complaint = _run("squeue", "--noheader", "--states=all", f"--user={getpass.getuser()}", form)
    if code:
        raise ExecutorError(f"Slurm does not answer: {complaint.strip() or 'squeue failed'}")
    rows = [line.strip().split("|", 2) for line in told.splitlines()]
    return {row[2]: _status(row[0], row[1]) for row in rows if len(row) == 3}


def _states_by_accounting(job_ids: Sequence[str]) -> dict[str, JobStatus]:
    """The states of these jobs; nothing where the cluster keeps no accounts."""
    if shutil.which("sacct") is None:
        return {}
    form = ("--noheader", "--parsable2", "--allocations", "--format=JobID,State")
    code, told, _ = _run("sacct", *form, f"--jobs={','.join(job_ids)}")
    rows = [] if code else [line.split("|", 1) for line in told.splitlines()]
    return {row[0]: _status(row[1].partition(" ")[0], "") for row in rows if len(row) == 2}


def _status(state: str, reason: str) -> JobStatus:
    found = _STATES.get(state, JobState.UNKNOWN)
    if state == "PENDING":
        return JobStatus(found, "" if reason == "None" else reason)
    return JobStatus(found, state if state in _TOLD else "")


def _cluster() -> str:
    """The name of the cluster that this machine's Slurm belongs to."""
    code, told, complaint = _run("scontrol", "show", "config")
    found = re.search(r"^ClusterName\s*=\s*(\S+)", told, re.MULTILINE)
    if code or found is None:
        raise ExecutorError(f"Slurm does not answer: {complaint.strip() or 'scontrol names no cluster'}")
    return found[1]


def _check_cluster(handle: Handle, here: str) -> None:
    """A job id means another job on another cluster, though both may see the same home folder."""
    if here != handle.cluster:
        raise ExecutorError(f"Slurm job {handle.job_id} is of the cluster {handle.cluster}; this machine's is {here}")


def _end(job_id: str, *options: str) -> None:
    """scancel; that the job is in another state by now is no error."""
    code, _, complaint = _run("scancel", "--quiet", *options, job_id)
    if code and complaint.strip():
        raise ExecutorError(f"Slurm job {job_id} cannot be ended: {complaint.strip()}")


def _run(command: str, *words: str) -> tuple[int, str, str]:
    """Exit code, output and errors of one of Slurm's commands."""
    line: Sequence[str] = (command, *words)
    try:
        done = subprocess.run(
            line,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_SECONDS,
            check=False,
        )
    except FileNotFoundError as error:
        raise ExecutorError(f"this machine has no {command}; ask on a login node of the Slurm cluster") from error
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ExecutorError(f"{command} does not answer: {error}") from error
    return done.returncode, done.stdout, done.stderr
