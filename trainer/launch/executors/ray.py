"""Jobs on a Ray cluster, through the REST interface of its job server: this machine needs its address alone.

Source: "Ray Jobs REST API" of Ray 2.60, whose version 4 it speaks.
"""

import json
import os
import re
import secrets
import shlex
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import quote, urlsplit

from trainer.launch.executors.executor import ExecutorError, Handle, JobState, JobStatus, Task
from trainer.launch.executors.job_records import JobRecord
from trainer.launch.executors.resources import Resources

_ADDRESSES = ("RAY_API_SERVER_ADDRESS", "RAY_ADDRESS")  # in Ray's own order
_HEADERS = "RAY_JOB_HEADERS"
_SECONDS = 30.0
_STATES = {
    "PENDING": JobState.QUEUED,
    "RUNNING": JobState.RUNNING,
    "SUCCEEDED": JobState.FINISHED,
    "STOPPED": JobState.KILLED,
    "FAILED": JobState.FAILED,
}
_UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_MOST_REASON = 300  # characters


class RayExecutor:
    """A Ray cluster: its job server starts the command on the head node, or where the resources asked for are."""

    name: ClassVar[str] = "ray"
    takes: ClassVar[tuple[str, ...]] = ("gpus_per_node", "cpus_per_task", "mem", "signal_delay_s")

    @classmethod
    def is_here(cls) -> bool:
        """Whether this process has the address of a job server."""
        return bool(_address())

    @classmethod
    def missing(cls) -> str:
        """What is missing to submit jobs, as one sentence; empty where nothing is."""
        if _address():
            return ""
        return f"no Ray cluster is named; set {_ADDRESSES[0]} to its job server, such as http://HEAD:8265"

    def start(self, task: Task, folder: Path, resources: Resources) -> Handle:
        """Submit a job. Its working folder must be one that the cluster's machines see."""
        if lack := self.missing():
            raise ExecutorError(lack)
        _check(resources)
        token = f"rlvitals-{secrets.token_hex(8)}"
        request = {
            # The server runs it in a shell, and signals the process that is left of it.
            "entrypoint": f"cd {shlex.quote(str(Path.cwd()))} && exec {shlex.join(task.command)}",
            "submission_id": token,
            "metadata": {"name": task.name},
            # How long a job may take to save its checkpoint before it is killed: of itself the server waits 3 s.
            "runtime_env": {
                "env_vars": {**task.environment, "RAY_JOB_STOP_WAIT_TIME_S": str(resources.signal_delay_s)}
            },
            **_asked(resources),
        }
        _ask(_address(), "POST", "/api/jobs/", request)
        return Handle(self.name, token, _address(), token)

    def states(self, handles: Sequence[Handle]) -> list[JobStatus]:
        """Where each of these jobs is; a server that was started anew no longer knows what ran before."""
        return [_status(handle) for handle in handles]

    def stop(self, handle: Handle, folder: Path) -> None:
        """Send SIGTERM to a running job, SIGKILL after its `signal_delay_s`; a waiting one ends when its turn comes."""
        if not _status(handle).is_live:
            raise ExecutorError(f"Ray job {handle.job_id} does not wait or run any more")
        _ask(handle.cluster, "POST", f"/api/jobs/{quote(handle.job_id)}/stop")

    def kill(self, handle: Handle) -> None:
        """The same: a job server has no harder end."""
        self.stop(handle, Path())

    def printed(self, handle: Handle, folder: Path, since: int) -> bytes:
        """What the job has printed after its first `since` bytes; the server hands out all of it each time."""
        try:
            told = _ask(handle.cluster, "GET", f"/api/jobs/{quote(handle.job_id)}/logs") or {}
        except ExecutorError:
            return b""
        return str(told.get("logs") or "").encode()[since:]

    def console(self, folder: Path, most: int) -> bytes:
        """The end of what the newest job in this folder printed."""
        try:
            handle = JobRecord.read(folder).handle
        except ExecutorError:
            return b""
        return self.printed(handle, folder, 0)[-most:]


def _address() -> str:
    """The job server that the environment names; a cluster's own address (host:6379, ray://…) is none."""
    for name in _ADDRESSES:
        if (found := os.environ.get(name, "")).startswith(("http://", "https://")):
            return found.rstrip("/")
    return ""


def _check(resources: Resources) -> None:
    """Raise ExecutorError for what a job server cannot be asked for."""
    given = resources.to_dict()
    if resources.processes == 1:  # which is what it starts
        given.pop("nodes"), given.pop("tasks_per_node", None)
    if wrong := sorted(given.keys() - set(RayExecutor.takes)):
        known = ", ".join(RayExecutor.takes)
        raise ExecutorError(f"a Ray job cannot be asked for {wrong[0]}; it takes {known}, and starts one process")


def _asked(resources: Resources) -> dict[str, float]:
    """What the command itself reserves, in the interface's names."""
    asked: dict[str, float | None] = {
        "entrypoint_num_gpus": resources.gpus_per_node or None,
        "entrypoint_num_cpus": resources.cpus_per_task,
        "entrypoint_memory": _bytes(resources.mem) if resources.mem else None,
    }
    return {name: value for name, value in asked.items() if value is not None}


def _bytes(mem: str) -> int:
    """Slurm's words for memory: a number of megabytes, or one with its unit."""
    return int(mem.rstrip("KMGT")) * _UNITS[mem[-1] if mem[-1] in _UNITS else "M"]


def _status(handle: Handle) -> JobStatus:
    told = _ask(handle.cluster, "GET", f"/api/jobs/{quote(handle.job_id)}")
    if told is None:
        return JobStatus(JobState.UNKNOWN)
    state = _STATES.get(str(told.get("status")), JobState.UNKNOWN)
    is_worth_telling = state in (JobState.QUEUED, JobState.FAILED)
    message = re.sub(r"\s+", " ", str(told.get("message") or ""))[:_MOST_REASON]
    return JobStatus(state, message if is_worth_telling else "")


def _ask(address: str, method: str, path: str, document: Mapping[str, Any] | None = None) -> dict[str, Any] | None:
    """The server's answer; None where it knows no such job. Raises ExecutorError."""
    body = None if document is None else json.dumps(document).encode()
    request = urllib.request.Request(
        address + path, body, {"Content-Type": "application/json", **_headers()}, method=method
    )
    host = urlsplit(address).netloc.rpartition("@")[2]  # without a password
    try:
        with urllib.request.urlopen(request, timeout=_SECONDS) as answer:
            return dict(json.loads(answer.read() or b"{}"))
    except urllib.error.HTTPError as error:
        if error.code == 404:
            return None
        said = error.read().decode("utf-8", "replace").strip().splitlines()
        raise ExecutorError(f"the Ray cluster at {host} refuses: {said[-1] if said else error.reason}") from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "reason", error)
        raise ExecutorError(f"the Ray cluster at {host} does not answer: {reason}") from error


def _headers() -> dict[str, str]:
    """What a proxy before the server wants to see, as Ray's own commands send it. Raises ExecutorError."""
    try:
        return {str(name): str(value) for name, value in json.loads(os.environ.get(_HEADERS) or "{}").items()}
    except (ValueError, AttributeError) as error:
        raise ExecutorError(f"{_HEADERS} is no JSON object of headers: {error}") from error
