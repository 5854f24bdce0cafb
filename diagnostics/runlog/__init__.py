"""The run log: a training's run directory, its append-only writer, and who writes it."""

from diagnostics.runlog.process_file import PROCESS_FILE
from diagnostics.runlog.records import (
    RUN_FILE,
    SCHEMA_VERSION,
    STATES,
    STATUS_FILE,
    RecordError,
    RunRecord,
    StatusRecord,
)
from diagnostics.runlog.writer import (
    BESIDE_OUTPUTS,
    CHECKPOINTS_FOLDER,
    CONSOLE_FILE,
    ENDED_STATES,
    EVENTS_FILE,
    SAMPLES_FILE,
    SECONDS_OF_SILENCE,
    RunLog,
    RunLogError,
)

__all__ = [
    "BESIDE_OUTPUTS",
    "CHECKPOINTS_FOLDER",
    "CONSOLE_FILE",
    "ENDED_STATES",
    "EVENTS_FILE",
    "PROCESS_FILE",
    "RUN_FILE",
    "SAMPLES_FILE",
    "SCHEMA_VERSION",
    "SECONDS_OF_SILENCE",
    "STATES",
    "STATUS_FILE",
    "RecordError",
    "RunLog",
    "RunLogError",
    "RunRecord",
    "StatusRecord",
]
