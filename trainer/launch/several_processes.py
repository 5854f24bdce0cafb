"""Trainings on several processes: reading the launcher's environment, and becoming a launcher. Imports no torch."""

import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from diagnostics.told import told
from trainer.config.options import ConfigError
from trainer.config.training import TrainConfig


def process_count() -> int:
    """The number of processes that the launcher (torchrun, accelerate) started; 1 without a launcher."""
    return int(os.environ.get("WORLD_SIZE", "1"))


def process_number() -> int:
    """This process's rank; rank 0 writes the run directory."""
    return int(os.environ.get("RANK", "0"))


def as_launched(config: TrainConfig, is_resumed: bool = False) -> TrainConfig:
    """The configuration with the launcher's number of processes, which a resumed run must already have.

    Raises:
        ConfigError: The configuration asks for another number, or accelerate was asked for several but started one.
    """
    count = process_count()
    if count > 1 and config.num_processes != count and (is_resumed or config.num_processes > 1):
        raise ConfigError(
            told(
                "num_processes is {num_processes}, but the launcher started {count}; set both to the same number",
                num_processes=config.num_processes,
                count=count,
            )
        )
    # accelerate sets MASTER_ADDR only if asked for several processes; on CPUs it then starts just one.
    if "WORLD_SIZE" not in os.environ and {"ACCELERATE_USE_CPU", "MASTER_ADDR"} <= os.environ.keys():
        raise ConfigError(
            told(
                "accelerate launch was asked for several CPU processes but starts only one; use: rlvitals train "
                "... --num_processes N, or torchrun --nproc_per_node N -m trainer.main train ..."
            )
        )
    return config.with_changes({"num_processes": count}) if count > 1 else config


def become_launcher(count: int, words: Sequence[str]) -> NoReturn:
    """Replace this process with torchrun, which runs `count` processes with the same arguments."""
    threads = max(1, (os.cpu_count() or 1) // count)
    environment = {"OMP_NUM_THREADS": str(threads), **os.environ, "PYTHONSAFEPATH": "1"}
    torchrun = ("-m", "torch.distributed.run", "--standalone", "--nproc_per_node", str(count))
    command = [sys.executable, "-P", *torchrun, "-m", "trainer.main", *words]
    sys.stdout.flush()
    sys.stderr.flush()
    os.execve(command[0], command, environment)
