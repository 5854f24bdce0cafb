"""Schema of `rlvitals queue`, whatever it was asked to do."""

from diagnostics.report.schemas.shapes import COUNT, FLAG, NUMBER, TEXT, listed, nullable, record, words

JOB = record(
    {
        "id": COUNT,
        "name": TEXT,
        "state": words("queued", "running", "stopping", "finished", "failed", "killed"),
        "words": listed(TEXT),
        "cwd": TEXT,
        "run": nullable(TEXT),
        "console": TEXT,
        "recipe": nullable(TEXT),
        "asks": TEXT,
        "slot": nullable(TEXT),
        "before": nullable(COUNT),
        "attempts": COUNT,
        "created": NUMBER,
        "began": nullable(NUMBER),
        "ended": nullable(NUMBER),
        "pid": nullable(COUNT),
        "cpu_seconds": nullable(NUMBER),
        "memory_bytes": nullable(COUNT),
        "exit_code": nullable({"type": "integer"}),
        "detail": TEXT,
    }
)
"""`before` counts what runs or waits before a queued job; `run` is its folder of logs, once that is there."""

QUEUE = record(
    {
        "message": TEXT,
        "jobs": listed(JOB),
        "slots": listed(record({"name": TEXT, "job": nullable(COUNT)})),
        "is_worked_on": FLAG,
    }
)
"""`jobs` are those that were asked about or changed; `message` is empty where nothing was."""
