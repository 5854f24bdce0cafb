"""The state that a run resumes from: its newest complete checkpoint and its options. Imports no torch."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from diagnostics.runlog import CHECKPOINTS_FOLDER, RecordError, StatusRecord
from diagnostics.runlog.records import Resumption
from diagnostics.told import told
from trainer.config.algorithms import make_config
from trainer.config.options import ConfigError
from trainer.config.training import TrainConfig
from trainer.launch.recorded_run import RecordedRun, check_is_here

STATE_FILE = "trainer_state.pt"
ENGINE_FOLDER = "deepspeed"
"""In a checkpoint: DeepSpeed's state, the weights and the optimizer's copies and moments of them; it unpickles them."""
CHANGEABLE = frozenset(
    {
        *("max_steps", "total_episodes", "save_strategy", "save_steps", "save_total_limit"),
        *("report_to", "num_completions_to_log", "histogram_steps"),
    }
)
"""Options that may change on resume: how long to train and what to write, never how the run learns."""
_NAME = re.compile(r"step-(\d+)")


def checkpoint_folder(run: Path, step: int) -> Path:
    """The folder of a step's checkpoint."""
    return run / CHECKPOINTS_FOLDER / f"step-{step}"


def checkpoints_of(run: Path) -> dict[int, Path]:
    """The folders of a run's complete checkpoints by increasing step: a folder gets its name once it is complete."""
    try:
        folders = list((run / CHECKPOINTS_FOLDER).iterdir())
    except OSError:
        return {}
    named = {int(match[1]): folder for folder in folders if (match := _NAME.fullmatch(folder.name))}
    return dict(sorted(named.items()))


def newest_resumable(run: Path) -> tuple[int, Path] | None:
    """The newest checkpoint that holds the training state besides the model, with its step, if any."""
    found = [(step, folder) for step, folder in checkpoints_of(run).items() if (folder / STATE_FILE).is_file()]
    return found[-1] if found else None


def config_of_run(run: Path) -> tuple[str, TrainConfig]:
    """The algorithm of a run and its final options: run.json's, with the changes of each resume.

    Raises:
        ConfigError: The folder holds no rlvitals run, or this version does not understand its options.
    """
    check_is_here(run)
    recorded = RecordedRun.read(run, told("--resume needs one"))
    values = dict(recorded.options)
    for beginning in _resumptions(run):
        values |= beginning.changes
    return recorded.algorithm, make_config(recorded.algorithm, values)


def with_changes_on_resume(config: TrainConfig, fields: Mapping[str, Any]) -> tuple[TrainConfig, dict[str, Any]]:
    """The configuration that a run resumes with, and the options that change.

    Raises:
        ConfigError: A field would change how the run learns.
    """
    new = config.with_changes(fields)
    before, after = config.to_dict(), new.to_dict()
    changes = {name: value for name, value in after.items() if value != before[name]}
    if fixed := sorted(changes.keys() - CHANGEABLE):
        raise ConfigError(
            told(
                "--resume continues with the run's own {fixed} = {before}; only {names} may change (train --from "
                "RUN starts a new run with other options)",
                fixed=fixed[0],
                before=before[fixed[0]],
                names=", ".join(sorted(CHANGEABLE)),
            )
        )
    return new, changes


def _resumptions(run: Path) -> tuple[Resumption, ...]:
    try:
        return StatusRecord.read(run).resumed
    except RecordError:  # the run log refuses to resume it, with its own sentence
        return ()
