"""The jobs whose runs do not speak for themselves: they wait on a cluster, or ended without a word."""

import json
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from diagnostics.cli.command import print_note
from diagnostics.cli.packages import python_command
from diagnostics.language import _
from diagnostics.model.run import Run
from diagnostics.report.report import Problem
from diagnostics.user_data import user_data_folder
from diagnostics.wording.cluster_jobs import job_sentence

_SECONDS = 60.0
_FIELDS = ("executor", "job_id", "cluster", "state", "reason", "has_begun")

Job = Mapping[str, Any]


def jobs_below(paths: Sequence[Path]) -> list[Job]:
    """The jobs of this user that train into these paths or below them, each with its sentence; none costs nothing.

    Where the trainer cannot tell them, a note says why.
    """
    if not (user_data_folder() / "jobs").is_dir():
        return []
    command = python_command("trainer.main", "jobs", *map(str, paths))
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=_SECONDS, check=True
        )
        found = [json.loads(line) for line in done.stdout.splitlines()]
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        print_note(_("rlvitals: the jobs of a cluster cannot be listed: {error}").format(error=error))
        return []
    told = [(job, job_sentence(job)) for job in found]
    return [_document(job, sentence) for job, sentence in told if sentence]


def unreadable(found: Sequence[Run | Problem], jobs: Sequence[Job]) -> list[Problem]:
    """What could not be read; a folder that holds nothing yet but what a job is to train is no problem."""
    awaited = [Path(job["path"]) for job in jobs if not job["has_begun"]]
    problems = [item for item in found if isinstance(item, Problem)]
    return [item for item in problems if not _is_awaited(str(item.path), awaited)]


def _is_awaited(path: str, awaited: Sequence[Path]) -> bool:
    place = None if "\0" in path else Path(path).resolve()
    return any(place == folder or place in folder.parents for folder in awaited)


def with_jobs(text: str, jobs: Sequence[Job]) -> str:
    """A text with the jobs' sentences below it."""
    lines = "\n".join(job["text"] for job in jobs)
    return "\n\n".join(part for part in (text, lines) if part)


def _document(job: Job, sentence: str) -> Job:
    """A job for JSON."""
    return {"path": job["run_dir"], **{name: job[name] for name in _FIELDS}, "text": sentence}
