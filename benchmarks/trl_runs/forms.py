"""The forms that a run's log has, each in a folder of its own, as if it were all that was kept."""

from collections.abc import Mapping
from pathlib import Path

from benchmarks.trl_runs.cells import Cell
from benchmarks.trl_runs.training import run_folder

FOLDERS: Mapping[str, str] = {
    "tensorboard": "output",  # with the tables of completions beside it, where they were logged
    "wandb": "wandb",
    "trackio": "trackio",
    "trainer_state": "state",
    "console": "console",
}

OF_OLD_API: Mapping[str, str] = {form: FOLDERS[form] for form in ("tensorboard", "wandb", "console")}
"""Where there is no Trainer, nothing writes a state, and no tracker is newer than it."""


def forms_of(cell: Cell) -> Mapping[str, str]:
    """The forms that the cell's log has, and the folder of each."""
    return OF_OLD_API if cell.algorithm == "ppo_step" else FOLDERS


def log_of(cache: Path, cell: Cell, form: str) -> Path:
    """What a reader opens."""
    return run_folder(cache, cell) / FOLDERS[form]
