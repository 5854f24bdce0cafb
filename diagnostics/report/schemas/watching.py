"""The schema of `rlvitals watch --format json`: a line for each change of a run."""

from diagnostics.report.schemas.runs import STATE, VERDICT
from diagnostics.report.schemas.shapes import COUNT, FLAG, STEP, TEXT, listed, nullable, record, words

WATCH = record(
    {
        "path": TEXT,
        "run_id": TEXT,
        "name": TEXT,
        "state": STATE,
        "step": nullable(STEP),
        "total": nullable(COUNT),
        "verdict": VERDICT,
        "headline": TEXT,
        "findings": listed(
            record(
                {
                    "name": TEXT,
                    "severity": words("critical", "warning", "info"),
                    "first_step": nullable(STEP),
                    "last_step": nullable(STEP),
                    "still": FLAG,
                    "summary": TEXT,
                    "rules": listed(TEXT),
                }
            )
        ),
        "alerts": listed(
            record({"kind": words("opened", "worsened", "closed", "failed", "silent", "ended"), "title": TEXT})
        ),
    }
)
"""The alerts are those that this line was printed for."""
