"""Stops a training that proves itself; no other process is ever signalled. Imports no torch."""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from diagnostics.language import N_
from diagnostics.runlog import ENDED_STATES, RecordError, RunRecord, StatusRecord
from diagnostics.runlog.process import ProcessIdentity
from diagnostics.runlog.process_file import NotProven, check_proof
from diagnostics.told import told
from trainer.launch.error import LaunchError

SendSignal = Callable[[int], None]


def stop(run_dir: Path) -> str:
    """Ask a training to finish its step, save a checkpoint and end. Returns at once, with what happens next.

    Raises:
        LaunchError: The folder holds no run of ours, the run has ended or runs on another host, or nothing proves that
            the process named in its status.json is its training.
    """
    run_id, state, process = _read(run_dir)
    if state in ENDED_STATES:
        raise LaunchError(
            told("{run_dir} has already ended ({state}); there is nothing to stop", run_dir=run_dir, state=state)
        )
    if not process.is_on_this_host:
        raise LaunchError(told("{run_dir} is running on {host}; stop it there", run_dir=run_dir, host=process.host))
    try:
        with _pinned(process.pid) as send:
            _check(run_dir, run_id, state, process)
            is_suspended = process.is_suspended
            send(signal.SIGTERM)
    except ProcessLookupError as error:
        raise LaunchError(_gone(run_dir, state, process)) from error
    return _what_follows(run_dir, process.pid, is_suspended=is_suspended)


def _read(run_dir: Path) -> tuple[str, str, ProcessIdentity]:
    """The run's id, its state and the process that should be writing it."""
    try:
        run, status = RunRecord.read(run_dir), StatusRecord.read(run_dir)
    except RecordError as error:
        raise LaunchError(
            told("{run_dir} holds no run that rlvitals started ({error})", run_dir=run_dir, error=error)
        ) from error
    if status.process is None:
        wrong = next(iter(status.problems), told("its status.json names none"))
        raise LaunchError(
            told("{run_dir} tells no process that could be stopped: {wrong}", run_dir=run_dir, wrong=wrong)
        )
    return run.run_id, status.state, status.process


def _check(run_dir: Path, run_id: str, state: str, process: ProcessIdentity) -> None:
    if not process.is_alive:
        raise LaunchError(_gone(run_dir, state, process))
    try:
        check_proof(run_dir, run_id, process)
    except NotProven as lack:
        raise LaunchError(
            told(
                "nothing was stopped: {run_dir} says that process {pid} writes it, but {lack}; the folder is a "
                "copy or was altered, or an older rlvitals started the training. If it is your training, stop it "
                "in its terminal with Ctrl-C, or look at it with ps -fp {pid} and end it with kill {pid}",
                run_dir=run_dir,
                pid=process.pid,
                lack=lack,
            )
        ) from lack


@contextmanager
def _pinned(pid: int) -> Iterator[SendSignal]:
    """Signals the process that has this pid now, and never a later one that is given its number.

    Raises ProcessLookupError if there is none.
    """
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        raise
    except (AttributeError, OSError):  # not Linux, or a sandbox without the call
        yield partial(os.kill, pid)  # what was checked a moment ago is all that can be known here
        return
    try:
        yield partial(signal.pidfd_send_signal, descriptor)
    finally:
        os.close(descriptor)


def _gone(run_dir: Path, state: str, process: ProcessIdentity) -> str:
    words = N_("{run_dir} is marked {state}, but its process {pid} is gone; there is nothing to stop")
    return told(words, run_dir=run_dir, state=state, pid=process.pid)


def _what_follows(run_dir: Path, pid: int, *, is_suspended: bool) -> str:
    if not is_suspended:
        return told("{run_dir} finishes its step, saves a checkpoint and ends", run_dir=run_dir)
    words = N_(
        "{run_dir} finishes its step, saves a checkpoint and ends once it goes on: its process {pid} is suspended; let "
        "it go on with: kill -CONT {pid}"
    )
    return told(words, run_dir=run_dir, pid=pid)
