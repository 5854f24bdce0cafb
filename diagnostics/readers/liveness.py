"""Whether a training still writes, by what its log says of the time; a file's own time is that of its last copy."""

CRASH_SECONDS = 30.0  # of silence after a traceback mean that it ended, and that its last line is complete
SILENCE_LIMIT_SECONDS = 300.0  # trackers write every few seconds, but a step of a large model takes minutes
_AHEAD_SECONDS = 86400.0  # that the writer's clock may be ahead of the file's; a later time is not one of writing
_EARLIEST = 1e9  # seconds since the epoch; what is smaller counts from the start of the training


def state_of(written: float, now: float) -> str:
    """`running` while the log is written, `silent` after five minutes; for logs that do not record how a run ended."""
    return "running" if now - written <= SILENCE_LIMIT_SECONDS else "silent"


def time_last_written(logged: float | None, modified: float) -> float:
    """When a log was last written: the newest time that it holds, else the time of its file."""
    is_moment = logged is not None and _EARLIEST < logged <= modified + _AHEAD_SECONDS
    return logged if is_moment and logged is not None else modified
