"""The schema of `rlvitals watch --format json`: a line for each change of a run."""

from diagnostics.alerts.episodes import Kind
from diagnostics.report.schemas.diagnosis import SEVERITY
from diagnostics.report.schemas.runs import STATE, VERDICT
from diagnostics.report.schemas.shapes import COUNT, FLAG, STEP, TEXT, listed, members, nullable, record

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
                    "severity": SEVERITY,
                    "first_step": nullable(STEP),
                    "last_step": nullable(STEP),
                    "still": FLAG,
                    "summary": TEXT,
                    "rules": listed(TEXT),
                }
            )
        ),
        "alerts": listed(record({"kind": members(Kind), "title": TEXT})),
    }
)
"""The alerts are those that this line was printed for."""
