"""Jobs on this machine: detached processes that outlive whoever started them."""

import os
import signal
import socket
import subprocess
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import ClassVar

from diagnostics.foreign_files import read_end
from diagnostics.runlog.process import ProcessIdentity, boot_id
from trainer.launch.executors.executor import ExecutorError, Handle, JobState, JobStatus, Task
from trainer.launch.executors.resources import Resources

_CONSOLE = "console.log"


class LocalExecutor:
    """This machine; what it has, a job gets."""

    name: ClassVar[str] = "local"

    @classmethod
    def missing(cls) -> str:
        """Empty: every machine starts processes."""
        return ""

    def start(self, task: Task, folder: Path, resources: Resources) -> Handle:
        """Start the command as a session of its own; what it prints goes to console.log in `folder`."""
        try:
            with (folder / _CONSOLE).open("ab") as output:
                process = subprocess.Popen(
                    list(task.command),
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=output,
                    start_new_session=True,
                )
        except OSError as error:
            raise ExecutorError(f"{task.command[0]} cannot be started: {error}") from error
        started = _start_time(process.pid)
        threading.Thread(target=process.wait, daemon=True).start()  # reaps it: a zombie would look alive
        return Handle(self.name, str(process.pid), socket.gethostname(), f"{boot_id()} {started!r}")

    def states(self, handles: Sequence[Handle]) -> list[JobStatus]:
        """Whether each process lives; how one ended that does not, its own files tell."""
        return [_status(handle) for handle in handles]

    def stop(self, handle: Handle, folder: Path) -> None:
        """Send SIGTERM to the command's own process."""
        self._send(handle, os.kill, signal.SIGTERM)

    def kill(self, handle: Handle) -> None:
        """Send SIGKILL to everything in its session that kept to its process group."""
        self._send(handle, os.killpg, signal.SIGKILL)

    def console(self, folder: Path, most: int) -> bytes:
        """The end of its console.log."""
        path = folder / _CONSOLE
        return read_end(path, most) if path.is_file() else b""

    def _send(self, handle: Handle, send: Callable[[int, int], None], number: int) -> None:
        if not _status(handle).is_live:
            raise ExecutorError(f"process {handle.job_id} does not run any more")
        send(int(handle.job_id), number)


def _start_time(pid: int) -> float:
    """Seconds since the epoch; the process is a child that nobody has waited for, so that it is surely there."""
    import psutil  # noqa: PLC0415 - slow to import

    return float(psutil.Process(pid).create_time())


def _status(handle: Handle) -> JobStatus:
    process = _identity(handle)
    if not process.is_on_this_host:
        raise ExecutorError(f"process {handle.job_id} is on {handle.cluster}; ask there")
    return JobStatus(JobState.RUNNING if process.is_alive else JobState.UNKNOWN)


def _identity(handle: Handle) -> ProcessIdentity:
    """The process of a handle. Raises ExecutorError where the handle names none."""
    boot, _, started = handle.token.partition(" ")
    try:
        return ProcessIdentity(handle.cluster, boot, int(handle.job_id), float(started))
    except ValueError as error:
        raise ExecutorError(f"{handle.job_id!r} is no process that was started here") from error
