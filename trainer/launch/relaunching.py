"""Runs again with other settings: of the bundled trainer, or of a launch recipe. Imports no torch."""

import re
from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path

from diagnostics.runlog import RecordError, RunRecord
from trainer.launch.error import LaunchError
from trainer.launch.new_run import free_name
from trainer.launch.queue.job import Job, Spec
from trainer.launch.queue.places import run_of
from trainer.launch.queue.store import Queue
from trainer.launch.queue.submitting import training_spec
from trainer.launch.queue.sweep import Variant
from trainer.launch.recipes import LaunchRecipe, load_recipes
from trainer.launch.starting import slot_for

_NUMBER = re.compile(r"-\d+$")

Changes = Mapping[str, str]
"""Settings, in the names of the run's own trainer, with their values as words of a command."""


def is_of_bundled_trainer(run: Path) -> bool:
    """Whether the run's own record says so."""
    try:
        record = RunRecord.read(run)
    except RecordError:
        return False
    return record.producer in ("", "rlvitals") and bool(record.algorithm) and record.config is not None


def job_of_run(queue: Queue, run: Path) -> Job | None:
    """The newest job of the queue that wrote this run; None where there is none."""
    place = run.absolute()
    for job in sorted(queue.jobs(), key=lambda job: -job.id):
        if place in (job.spec.run_dir, run_of(job)):
            return job
    return None


def recipe_of_run(queue: Queue, run: Path) -> tuple[Job, LaunchRecipe] | None:
    """The job and the launch recipe that started a run; None where none did, or it is gone from the file."""
    job = job_of_run(queue, run)
    recipe = load_recipes().get(job.spec.recipe) if job is not None and job.spec.recipe else None
    return (job, recipe) if job is not None and recipe is not None else None


def relaunch_specs(queue: Queue, run: Path, variants: Sequence[Changes], root: Path | None = None) -> list[Spec]:
    """A job for each variant, in a folder of its own beside the run, or below `root`. Folders are made.

    Raises:
        LaunchError: The run is neither of the bundled trainer nor of a recipe, or a change is out of bounds.
    """
    is_named = len(variants) > 1
    if is_of_bundled_trainer(run):
        for changes in variants:
            slot_for(relaunch_words(run, changes))  # all are checked before a folder is made
        return [
            _training(run, changes, child_folder(root or run.parent, run.name, changes, is_named))
            for changes in variants
        ]
    found = recipe_of_run(queue, run)
    if found is None:
        raise LaunchError(
            f"{run} was not started by rlvitals, which cannot start it again; change its own configuration, or write a "
            "launch recipe for its script"
        )
    job, recipe = found
    for changes in variants:
        recipe.words_of({**job.spec.given, **changes})  # all are checked before a folder is made
    usual = queue.slots().usual
    folder = job.spec.run_dir or run
    return [
        recipe.spec(
            {**job.spec.given, **changes},
            child_folder(root or folder.parent, folder.name, changes, is_named),
            usual,
            run,
        )
        for changes in variants
    ]


def child_folder(root: Path, parent: str, changes: Changes, is_named: bool = False) -> Path:
    """A new folder, made at once: the parent's name with the next free number, or named for what is changed."""
    stem = _NUMBER.sub("", parent)
    named = f"{stem}-{Variant(changes).name}" if is_named else ""
    is_free = bool(named) and not (root / named).exists()
    folder = root / (named if is_free else free_name(root, stem))
    folder.mkdir(parents=True)
    return folder


def _training(run: Path, changes: Changes, folder: Path) -> Spec:
    words = relaunch_words(run, changes)
    return training_spec(words, folder, slot_for(words), child_of=run)


def relaunch_words(run: Path, changes: Changes) -> list[str]:
    """The words that relaunch a run of the bundled trainer."""
    return [
        "train",
        "--from",
        str(run.absolute()),
        *chain.from_iterable((f"--{name}", changes[name]) for name in changes),
    ]
