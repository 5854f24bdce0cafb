"""Launching and stopping trainings for a program, where --allow-launch says that it may; all go through the queue."""

import itertools
import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from diagnostics.addresses import shown
from diagnostics.mcp.answers import Document, ToolProblem, name, untrusted
from diagnostics.mcp.opening import Library
from diagnostics.runlog import STATUS_FILE

_SECONDS_FOR_A_SLOT = 5.0  # where one is free, half a second is usual
_SECONDS_TO_BEGIN = 60.0
_SECONDS_FOR_AN_ANSWER = 120.0  # of the queue, or of a training that is asked to stop
_POLL_SECONDS = 0.2
_FIELD = re.compile(r"[a-z][a-z0-9_]{0,60}")
_NOT_SETTINGS = frozenset({"run_dir", "config", "from", "resume", "trust", "help"})
"""Where a run goes, which files are read and whether foreign code is trusted is not for a program to say."""
_MOST_ERROR = 1_000
_MOST_JOBS = 30
_ENDED = ("finished", "failed", "killed")

Settings = Mapping[str, str | int | float | bool]


def launch(library: Library, algorithm: str, settings: Settings, parent: str, apply_fixes: bool) -> Document:
    """Queue a training in a new folder, and see it begin where a slot is free; its process outlives this one.

    The folder is made below the first of those shown; that of a relaunched run of a recipe, beside it.
    """
    words = [algorithm] if algorithm and not parent else []
    if parent:
        words += ["--from", str(library.ref(parent).path), *(["--apply-fixes"] if apply_fixes else [])]
    for field, value in settings.items():
        if not _FIELD.fullmatch(field) or field in _NOT_SETTINGS:
            raise ToolProblem(f"{name(field)!r} is no setting of a training that can be given here")
        words.append(f"--{field}={_as_word(value)}")
    if not words:
        raise ToolProblem("name an algorithm (ppo, grpo or rloo), or the run to relaunch")
    with _new_folder(library.folders[0], algorithm or "relaunched") as folder:
        (job,) = _queue("add", "--run_dir", str(folder), after=("train", *words))["jobs"]
        if Path(job["folder"]) != folder:  # a recipe's run is relaunched beside its parent
            _remove_if_empty(folder)
        return _begun(library, job)


def stop(library: Library, path: str, number: int | None) -> Document:
    """Ask a training to write a checkpoint and end; a job that waits leaves the queue."""
    if number is not None:
        if number not in {job["id"] for job in _jobs_inside(library)}:
            raise ToolProblem(f"there is no job {number} with a run below the folders shown; the tool queue lists them")
        answer = _queue("stop", str(number))
        return {"jobs": [_job(job) for job in answer["jobs"]], "says": answer["message"]}
    if not path:
        raise ToolProblem("name a run's path, or the number of a job")
    run = library.ref(path).path
    return {"run": shown(run), "says": _rlvitals("stop", str(run)).strip()}


def jobs(library: Library) -> Document:
    """The jobs of the queue whose runs lie inside: those that run, those that wait in their order, the latest ended."""
    found = _jobs_inside(library)
    return {"jobs": [_job(job) for job in found[:_MOST_JOBS]], "found": len(found)}


def _jobs_inside(library: Library) -> list[dict[str, Any]]:
    """The jobs with a folder below those shown: of others a program learns nothing but that it has to wait."""
    return [job for job in _queue("list")["jobs"] if job["folder"] and library.holds(Path(job["folder"]))]


def _as_word(value: str | int | float | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


@contextmanager
def _new_folder(root: Path, stem: str) -> Iterator[Path]:
    """The first free folder of this name, made at once so that the next gets another; it goes if it stays unused."""
    for number in itertools.count(1):
        folder = root / f"{stem}-{number}"
        with suppress(FileExistsError):
            folder.mkdir()
            break
    try:
        yield folder
    except ToolProblem:
        _remove_if_empty(folder)
        raise


def _remove_if_empty(folder: Path) -> None:
    with suppress(OSError):
        folder.rmdir()


def _begun(library: Library, job: Mapping[str, Any]) -> Document:
    """How a job that has just been queued stands once it has begun, or waits for others. Raises ToolProblem."""
    folder, asked = Path(job["folder"]), time.monotonic()
    while not (folder / STATUS_FILE).exists():
        job = next(item for item in _jobs_inside(library) if item["id"] == job["id"])
        if job["state"] in _ENDED:
            raise ToolProblem(f"the training did not start: {untrusted(job['detail'], _MOST_ERROR)}")
        waited = time.monotonic() - asked
        if waited > (_SECONDS_FOR_A_SLOT if job["state"] == "queued" else _SECONDS_TO_BEGIN):
            return {
                **_job(job),
                "says": "not begun yet; the tool queue tells when, and diagnose takes its path then",
            }
        time.sleep(_POLL_SECONDS)
    return {**_job(job), "state": "running", "says": "started; wait and diagnose take this path"}


def _job(job: Mapping[str, Any]) -> Document:
    return {
        "job": job["id"],
        "run": job["folder"],
        "name": name(job["name"]),
        "state": job["state"],
        "jobs_before_it": job["before"],
        "remark": untrusted(job["detail"], _MOST_ERROR),
    }


def _queue(action: str, *words: str, after: tuple[str, ...] = ()) -> dict[str, Any]:
    """The queue's answer. Raises ToolProblem where it refuses."""
    words = ("queue", action, *words, "--format", "json", *(["--", *after] if after else []))
    return dict(json.loads(_rlvitals(*words)))


def _rlvitals(*words: str) -> str:
    """What a command prints. Raises ToolProblem with its sentence where it refuses."""
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-m", "diagnostics.cli", *words],
            stdin=subprocess.DEVNULL,  # ours is the client's
            capture_output=True,
            text=True,
            timeout=_SECONDS_FOR_AN_ANSWER,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise ToolProblem(f"rlvitals {words[0]} did not answer within {_SECONDS_FOR_AN_ANSWER:g} s") from error
    if done.returncode:
        raise ToolProblem(untrusted(done.stderr.strip().removeprefix("rlvitals: "), _MOST_ERROR))
    return done.stdout
