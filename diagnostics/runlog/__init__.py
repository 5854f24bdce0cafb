"""The run log: a training's run directory, its append-only writer, and who writes it."""

from diagnostics.runlog.writer import (
    CHECKPOINTS_FOLDER,
    CONSOLE_FILE,
    ENDED_STATES,
    EVENTS_FILE,
    RUN_FILE,
    SAMPLES_FILE,
    SCHEMA_VERSION,
    SECONDS_OF_SILENCE,
    STATES,
    STATUS_FILE,
    RunLog,
    RunLogError,
)

__all__ = [
    "CHECKPOINTS_FOLDER",
    "CONSOLE_FILE",
    "ENDED_STATES",
    "EVENTS_FILE",
    "RUN_FILE",
    "SAMPLES_FILE",
    "SCHEMA_VERSION",
    "SECONDS_OF_SILENCE",
    "STATES",
    "STATUS_FILE",
    "RunLog",
    "RunLogError",
]
