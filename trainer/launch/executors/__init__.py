"""Where a training runs: behind one interface, a command becomes a job, is looked at and is ended. Imports no torch."""

from trainer.launch.executors.executor import (
    LIVE_STATES,
    Executor,
    ExecutorError,
    Handle,
    JobState,
    JobStatus,
    Task,
)
from trainer.launch.executors.ray import RayExecutor
from trainer.launch.executors.resources import Resources
from trainer.launch.executors.slurm import SlurmExecutor

__all__ = [
    "EXECUTORS",
    "LIVE_STATES",
    "Executor",
    "ExecutorError",
    "Handle",
    "JobState",
    "JobStatus",
    "RayExecutor",
    "Resources",
    "SlurmExecutor",
    "Task",
]

EXECUTORS: dict[str, type[Executor]] = {SlurmExecutor.name: SlurmExecutor, RayExecutor.name: RayExecutor}
"""Every executor by the name that a handle and the command line give it; this machine has its queue instead."""
