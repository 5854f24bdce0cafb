"""Schemas of `rlvitals queue`, whatever it was asked to do, and of `rlvitals recipes`."""

from diagnostics.report.schemas.shapes import COUNT, FLAG, NUMBER, TEXT, listed, nullable, record, words

JOB = record(
    {
        "id": COUNT,
        "name": TEXT,
        "state": words("queued", "running", "stopping", "finished", "failed", "killed"),
        "words": listed(TEXT),
        "cwd": TEXT,
        "folder": nullable(TEXT),
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
"""`before` counts what runs or waits before a queued job; `folder` is where its logs are to appear, `run` is the folder
of its run, once that is there.
"""

QUEUE = record(
    {
        "message": TEXT,
        "jobs": listed(JOB),
        "slots": listed(record({"name": TEXT, "job": nullable(COUNT)})),
        "is_worked_on": FLAG,
    }
)
"""`jobs` are those that were asked about or changed; `message` is empty where nothing was."""

RECIPES = record(
    {
        "file": TEXT,
        "recipes": listed(
            record(
                {
                    "name": TEXT,
                    "title": TEXT,
                    "help": TEXT,
                    "command": listed(TEXT),
                    "cwd": TEXT,
                    "parameters": listed(
                        record(
                            {
                                "name": TEXT,
                                "type": words("float", "int", "bool", "choice", "path", "str"),
                                "default": nullable(TEXT),
                                "help": TEXT,
                                "bounds": TEXT,
                                "min": nullable(NUMBER),
                                "max": nullable(NUMBER),
                                "choices": listed(TEXT),
                            }
                        )
                    ),
                }
            )
        ),
    }
)
"""`rlvitals recipes`."""
