"""The interface of an executor: what it is given, what it hands back, and what can be asked of it afterwards."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import ClassVar, Protocol

from trainer.launch.error import LaunchError
from trainer.launch.executors.resources import Resources


class ExecutorError(LaunchError):
    """A job could not be started, asked about or ended; the message is one sentence."""


class JobState(StrEnum):
    """Where a job is."""

    QUEUED = "queued"
    RUNNING = "running"
    FINISHED = "finished"
    FAILED = "failed"
    KILLED = "killed"
    """Ended by its user or its administrator, before or after it began."""
    UNKNOWN = "unknown"
    """Whoever ran it no longer tells: the run's own files say how it ended."""


LIVE_STATES = frozenset({JobState.QUEUED, JobState.RUNNING})


@dataclass(frozen=True, slots=True)
class JobStatus:
    """The state of a job, and the executor's own words for it: "Resources", "TIMEOUT", "exit code 2"."""

    state: JobState
    reason: str = ""

    @property
    def is_live(self) -> bool:
        """Whether the job waits or runs."""
        return self.state in LIVE_STATES


@dataclass(frozen=True, slots=True)
class Task:
    """A command, as words, and how it goes on where the executor starts its job a second time.

    `again` is the command of that second start, used only if `begun` exists by then: "train --resume RUN" for a run
    that has begun. Without it the command itself is repeated. `environment` is what the command must see where the job
    does not inherit the variables of this process.
    """

    command: Sequence[str]
    name: str
    again: Sequence[str] = ()
    begun: Path | None = None
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Handle:
    """A job, in words that outlive the process that started it and mean nothing to another machine or cluster."""

    executor: str
    job_id: str
    """A pid, or the job id that the cluster gave."""
    cluster: str
    """The host or the cluster that knows the id."""
    token: str
    """What the job itself still shows, so that a later job with the same id is never taken for it."""

    @property
    def title(self) -> str:
        """A job as its user knows it: "Slurm job 12"."""
        return f"{self.executor.capitalize()} job {self.job_id}"


class Executor(Protocol):
    """Starts commands and answers for them later, in another process too.

    Every method raises ExecutorError where the machine or the cluster cannot be asked.
    """

    name: ClassVar[str]
    takes: ClassVar[tuple[str, ...]]
    """The resources that it can be asked for, by name."""

    @classmethod
    def is_here(cls) -> bool:
        """Whether this machine can talk to such a cluster at all."""

    @classmethod
    def missing(cls) -> str:
        """What this machine lacks for it, as one sentence; empty where it can be used."""

    def start(self, task: Task, folder: Path, resources: Resources) -> Handle:
        """Start a command; its output and everything else of the executor's own go to `folder`."""

    def states(self, handles: Sequence[Handle]) -> list[JobStatus]:
        """Where each of these jobs is."""

    def stop(self, handle: Handle, folder: Path) -> None:
        """Ask the command, which was started with this folder, to end; a waiting job is taken back. Returns at once."""

    def kill(self, handle: Handle) -> None:
        """End the job now, with everything that it started."""

    def printed(self, handle: Handle, folder: Path, since: int) -> bytes:
        """What the job's first process has printed after its first `since` bytes, as far as can be had at once."""

    def console(self, folder: Path, most: int) -> bytes:
        """The last `most` bytes that the command printed."""
