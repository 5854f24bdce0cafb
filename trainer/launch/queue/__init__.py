"""The queue of trainings of one user on one machine: kept in SQLite, worked on by one process, whoever submits."""

from trainer.launch.queue.job import ENDED, Job, Spec, State
from trainer.launch.queue.store import Queue

__all__ = ["ENDED", "Job", "Queue", "Spec", "State"]
