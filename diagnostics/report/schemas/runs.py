"""Schemas of a run's identity, cost and errors, which several commands print."""

from diagnostics.report.schemas.shapes import (
    COUNT,
    FLAG,
    NUMBER,
    STEP,
    TEXT,
    Schema,
    listed,
    nullable,
    record,
    words,
)

STATE = words("queued", "starting", "running", "finished", "stopped", "failed", "died", "silent", "unknown")
VERDICT = words("critical", "warning", "info", "healthy", "no-problem-found", "not-rl")

RUN_FIELDS: dict[str, Schema] = {
    "path": TEXT,
    "run_id": TEXT,
    "name": TEXT,
    "sources": listed(record({"format": TEXT, "path": TEXT})),
    "producer": TEXT,
    "producer_version": nullable(TEXT),
    "algorithm": TEXT,
    "state": STATE,
    "standstill": nullable(TEXT),
    "steps": record({"first": nullable(STEP), "last": nullable(STEP), "logged": COUNT}),
}
"""As `diagnostics.report.run_fields` writes them."""

ERRORS = listed(record({"path": TEXT, "error": TEXT}))
"""The paths that could not be read, each with the reason."""

JOBS = listed(
    record(
        {
            "path": TEXT,
            "executor": TEXT,
            "job_id": TEXT,
            "cluster": TEXT,
            "state": words("queued", "running", "finished", "failed", "killed", "unknown"),
            "reason": TEXT,
            "has_begun": FLAG,
            "text": TEXT,
        }
    )
)
"""The jobs of a cluster whose runs do not speak for themselves: `path` is the run's folder."""

COST = nullable(
    record(
        {
            "first_step": STEP,
            "last_step": STEP,
            "still": FLAG,
            "steps": COUNT,
            "hours": nullable(NUMBER),
            "at_least": FLAG,
            "clock": nullable(words("rows", "step_time")),
            "gpus": nullable(COUNT),
            "gpu_hours": nullable(NUMBER),
        }
    )
)

RUNS = record(
    {
        "runs": listed(
            record(
                {
                    **RUN_FIELDS,
                    "distinct_name": TEXT,
                    "tags": listed(TEXT),
                    "note": TEXT,
                    "is_archived": FLAG,
                    "state_in_words": TEXT,
                    "format": listed(TEXT),
                    "progress": TEXT,
                    "cost": COST,
                    "cost_in_words": TEXT,
                },
                optional=("cost", "cost_in_words"),
            )
        ),
        "errors": ERRORS,
        "jobs": JOBS,
    }
)
"""`rlvitals runs`; the cost stands there with `--sort cost`."""
