"""What runs on a cluster's machine: submitit starts it once per process, and it becomes the command."""

import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

BEGUN = "RLVITALS_BEGUN"
"""Set by the job's script, once for all its processes, where what marks the command as begun was there."""
STOP_FILE = "stop"
"""In the job's folder: its user has asked for an end, maybe before there was a process to tell."""
_STARTED_AGAIN = "SLURM_RESTART_COUNT"
_OUR_SIGNALS = (signal.SIGTERM, signal.SIGCONT, signal.SIGUSR1, signal.SIGUSR2)


def become(command: Sequence[str], again: Sequence[str], folder: str) -> NoReturn:
    """Replace this process by the command, or by `again` in a job that Slurm started anew after it had begun.

    One of several processes finds torchrun's variables set. Signals reach the command itself from here on: submitit's
    handlers, which would drop a SIGTERM, are taken off first, and a stop that they may have dropped is looked up.
    """
    for number in _OUR_SIGNALS:
        signal.signal(number, signal.SIG_DFL)
    if (Path(folder) / STOP_FILE).exists():
        sys.exit(0)
    words = again if again and os.environ.get(BEGUN) and os.environ.get(_STARTED_AGAIN) else command
    if int(os.environ.get("SLURM_NTASKS", "1")) > 1:
        _export_processes()
    sys.stdout.flush()
    sys.stderr.flush()
    os.execvp(words[0], list(words))


def _export_processes() -> None:
    """torchrun's variables, and the cores that Slurm gave each process as its number of threads."""
    from submitit.helpers import TorchDistributedEnvironment  # noqa: PLC0415 - only a cluster's machine needs it

    TorchDistributedEnvironment().export(set_cuda_visible_devices=False, overwrite=True)
    if cores := os.environ.get("SLURM_CPUS_PER_TASK"):
        os.environ.setdefault("OMP_NUM_THREADS", cores)
