"""Launching and stopping the bundled trainer for a program, where --allow-launch says that it may."""

import itertools
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

from diagnostics.mcp.answers import Document, ToolProblem, name, untrusted
from diagnostics.mcp.opening import Library
from diagnostics.runlog import STATUS_FILE

_SECONDS_TO_CLAIM = 60.0
_SECONDS_TO_STOP = 60.0  # for the command to say whether it could be stopped
_POLL_SECONDS = 0.1
_FIELD = re.compile(r"[a-z][a-z0-9_]{0,60}")
_NOT_SETTINGS = frozenset({"run_dir", "config", "from", "resume", "trust", "help"})
"""Where a run goes, which files are read and whether foreign code is trusted is not for a program to say."""
_MOST_ERROR = 1_000

Settings = Mapping[str, str | int | float | bool]


def launch(library: Library, algorithm: str, settings: Settings, parent: str, apply_fixes: bool) -> Document:
    """Start a training in a new folder below the first of those shown; its process outlives this one."""
    words = [algorithm] if algorithm and not parent else []
    if parent:
        words += ["--from", str(library.ref(parent).path), *(["--apply-fixes"] if apply_fixes else [])]
    for field, value in settings.items():
        if not _FIELD.fullmatch(field) or field in _NOT_SETTINGS:
            raise ToolProblem(f"{name(field)!r} is no setting of a training that can be given here")
        words.append(f"--{field}={_as_word(value)}")
    if not words:
        raise ToolProblem("name an algorithm (ppo, grpo or rloo), or the run to relaunch")
    folder = _free_folder(library.folders[0], algorithm or "relaunched")
    _start(["train", *words, "--run_dir", str(folder)], folder)
    return {"run": folder.as_posix(), "says": "started; wait and diagnose take this path"}


def stop(library: Library, path: str) -> Document:
    """Ask a training to write a checkpoint and end."""
    run = library.ref(path).path
    command = _rlvitals("stop", str(run))
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,  # ours is the client's
            capture_output=True,
            text=True,
            timeout=_SECONDS_TO_STOP,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise ToolProblem(f"{run} could not be stopped within {_SECONDS_TO_STOP:g} s") from error
    if done.returncode:
        raise ToolProblem(untrusted(done.stderr.strip().removeprefix("rlvitals: "), _MOST_ERROR))
    return {"run": run.as_posix(), "says": done.stdout.strip()}


def _as_word(value: str | int | float | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _free_folder(root: Path, stem: str) -> Path:
    free = re.sub(r"[^a-z]", "", stem) or "run"
    return next(root / f"{free}-{number}" for number in itertools.count(1) if not (root / f"{free}-{number}").exists())


def _start(words: list[str], folder: Path) -> None:
    """Start the command detached, and wait until the run's folder is claimed. Raises ToolProblem where it is not."""
    with tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(
            _rlvitals(*words),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            start_new_session=True,
        )
        deadline = time.monotonic() + _SECONDS_TO_CLAIM
        while not (folder / STATUS_FILE).exists():
            if process.poll() is not None or time.monotonic() > deadline:
                _end(process)
                errors.seek(0)
                said = errors.read(_MOST_ERROR).strip().removeprefix("rlvitals: ")
                why = untrusted(said, _MOST_ERROR) or f"no run within {_SECONDS_TO_CLAIM:g} s"
                raise ToolProblem(f"the training did not start: {why}")
            time.sleep(_POLL_SECONDS)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End what has not claimed its folder in time, with all that it started."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _rlvitals(*words: str) -> list[str]:
    return [sys.executable, "-P", "-m", "diagnostics.cli", *words]
