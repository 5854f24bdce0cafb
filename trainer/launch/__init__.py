"""Starts and stops trainings as detached processes that outlive their parent. Imports no torch."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from diagnostics.foreign_files import read_end, read_whole
from diagnostics.language import VARIABLES, current_language
from diagnostics.runlog import CONSOLE_FILE, RUN_FILE, STATUS_FILE
from diagnostics.told import told
from trainer.launch.consent import Consent
from trainer.launch.error import LaunchError
from trainer.launch.submission import stop

__all__ = ["LaunchError", "resume", "start", "stop"]

_LAST_BYTES = 1 << 16  # of a console log: its last line
SECONDS_TO_CLAIM = 60.0
"""Time limit for a process to claim its run directory or end; half a second is usual."""
_NOBODY_TYPED = (f"--{Consent.WITHHELD}",)  # so that the process runs trusted code only, whoever calls


def start(args: Sequence[str], run_dir: Path) -> int:
    """Start `trainer.main` with these arguments and return its pid once it has claimed the run directory.

    Args:
        args: The arguments without --run_dir: `["train", "grpo", "--max_steps", "50"]`.
        run_dir: The run's folder, created if missing. The process's output goes to its console.log.

    Raises:
        LaunchError: The folder already holds a run, or the process ended before it claimed it (with its own sentence).
    """
    if (run_dir / RUN_FILE).exists():
        raise LaunchError(told("{run_dir} already holds a run; choose another folder", run_dir=run_dir))
    run_dir.mkdir(parents=True, exist_ok=True)
    process = _spawn([*args, "--run_dir", str(run_dir)], run_dir / CONSOLE_FILE)
    try:
        _wait_for_claim(process, run_dir, (run_dir / STATUS_FILE).exists)
    except LaunchError:
        _remove_leftovers(run_dir)
        raise
    return process.pid


def resume(run_dir: Path) -> int:
    """Resume a run that died or was stopped from its newest checkpoint; returns the pid once it has resumed.

    Raises:
        LaunchError: The run cannot go on, or its process ended before it took the run up again (with its own sentence).
    """
    status = run_dir / STATUS_FILE
    before = read_whole(status) if status.exists() else None
    process = _spawn(["train", "--resume", str(run_dir)], run_dir / CONSOLE_FILE)
    _wait_for_claim(process, run_dir, lambda: status.exists() and read_whole(status) != before)
    return process.pid


def _spawn(words: Sequence[str], console: Path) -> subprocess.Popen[bytes]:
    with console.open("ab") as output:
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "trainer.main", *words, *_NOBODY_TYPED],
            stdin=subprocess.DEVNULL,
            env={**os.environ, VARIABLES[0]: current_language()},
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    threading.Thread(target=process.wait, daemon=True).start()  # reaps it: a zombie would look alive
    return process


def _wait_for_claim(process: subprocess.Popen[bytes], run_dir: Path, is_claimed: Callable[[], bool]) -> None:
    deadline = time.monotonic() + SECONDS_TO_CLAIM
    while not is_claimed():
        if process.poll() is not None:
            raise LaunchError(
                _last_line(run_dir / CONSOLE_FILE)
                or told("the training ended at once ({code})", code=process.returncode)
            )
        if time.monotonic() > deadline:
            raise LaunchError(
                told(
                    "the training (pid {pid}) wrote nothing to {run_dir} within {seconds:.0f} s",
                    pid=process.pid,
                    run_dir=run_dir,
                    seconds=SECONDS_TO_CLAIM,
                )
            )
        time.sleep(0.05)


def _remove_leftovers(run_dir: Path) -> None:
    """Remove what a training that never began left behind, but no files of others."""
    (run_dir / CONSOLE_FILE).unlink(missing_ok=True)
    if not any(run_dir.iterdir()):
        run_dir.rmdir()


def _last_line(path: Path) -> str:
    lines = read_end(path, _LAST_BYTES).decode("utf-8", "replace").splitlines()
    return lines[-1].removeprefix("rlvitals: ") if lines else ""
