"""Starts and resumes trainings of the bundled trainer through the queue. Imports no torch."""

from collections.abc import Sequence
from pathlib import Path

from trainer.config.options import ConfigError
from trainer.launch.error import LaunchError
from trainer.launch.queue.job import Job
from trainer.launch.queue.store import Queue
from trainer.launch.queue.submitting import resume_spec, training_spec
from trainer.launch.queue.submitting import start as start_spec
from trainer.launch.submission import plan_of


def start(words: Sequence[str], run_dir: Path, child_of: Path | None = None) -> Job:
    """Submit a training; returns once it has claimed its run directory, or at once where it waits for a slot.

    Args:
        words: The arguments without --run_dir: `["train", "grpo", "--max_steps", "50"]`.
        run_dir: The run's folder, created if missing. The process's output goes to its console.log.
        child_of: The run that it relaunches.

    Raises:
        LaunchError: The folder already holds a run, or the process ended before it claimed it (with its own sentence).
    """
    return start_spec(training_spec(words, run_dir, slot_for(words), child_of))


def resume(run_dir: Path) -> Job:
    """Submit a run that died or was stopped, to go on from its newest checkpoint; returns as `start` does.

    Raises:
        LaunchError: The run cannot go on, or its process ended before it took the run up again (with its own sentence).
    """
    return start_spec(resume_spec(run_dir, slot_for(["train", "--resume", str(run_dir)])))


def slot_for(words: Sequence[str]) -> str:
    """The kind of slot that a training of these words asks for. Raises LaunchError where they describe none."""
    try:
        uses_cpu = plan_of(words[1:]).config.use_cpu
    except ConfigError as error:
        raise LaunchError(str(error)) from error
    return "cpu" if uses_cpu else Queue.of_user().slots().usual
