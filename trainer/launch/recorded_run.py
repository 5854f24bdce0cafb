"""A run of rlvitals as its run.json records it, with what a training needs of it. Imports no torch."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from diagnostics.addresses import AddressError, address_of, local_path
from diagnostics.runlog import RecordError, RunRecord
from diagnostics.told import told
from trainer.config.options import ConfigError


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """The run_id, the algorithm and the options at the start of a run."""

    run_id: str
    algorithm: str
    options: Mapping[str, Any]

    @classmethod
    def read(cls, folder: Path, purpose: str) -> "RecordedRun":
        """The run in a folder. `purpose` says who needs one: "--resume needs one".

        Raises:
            ConfigError: The folder holds no run of rlvitals, or its run.json does not say what was trained.
        """
        try:
            record = RunRecord.read(folder)
        except RecordError as error:
            raise ConfigError(
                told("{folder} holds no rlvitals run ({error}); {purpose}", folder=folder, error=error, purpose=purpose)
            ) from error
        if not record.algorithm or record.config is None:
            missing = "algorithm" if not record.algorithm else "config"
            wrong = next(
                (problem for problem in record.problems if problem.name == missing),
                told("it names no {missing}", missing=missing),
            )
            raise ConfigError(
                told("{folder} holds no rlvitals run ({wrong}); {purpose}", folder=folder, wrong=wrong, purpose=purpose)
            )
        return cls(record.run_id, record.algorithm, record.config)


def check_is_here(run: Path) -> None:
    """Raise ConfigError for a run at an address: its logs alone can be copied, and its checkpoints are needed."""
    try:
        address = address_of(local_path(run))
    except AddressError as error:
        raise ConfigError(str(error)) from error
    if address:
        raise ConfigError(
            told(
                "{address} lies elsewhere, and this needs the run's checkpoints; copy the whole folder to this machine",
                address=address,
            )
        )
