"""The schema of `rlvitals status`."""

from diagnostics.report.schemas.runs import ERRORS, JOBS, RUN_FIELDS, VERDICT
from diagnostics.report.schemas.shapes import COUNT, FLAG, NUMBER, STEP, TEXT, listed, members, nullable, record
from diagnostics.wording.status_block import Health

STATUS_OF_RUN = record(
    {
        **RUN_FIELDS,
        "health": members(Health),
        "reason": TEXT,
        "progress": record(
            {
                "step": nullable(STEP),
                "total": nullable(COUNT),
                "share": nullable(NUMBER),
                "seconds_left": nullable(NUMBER),
                "text": TEXT,
            }
        ),
        "stability": record(
            {
                "verdict": VERDICT,
                "finding": nullable(TEXT),
                "first_step": nullable(STEP),
                "still": nullable(FLAG),
                "text": TEXT,
            }
        ),
        "performance": record(
            {
                "reward": nullable(
                    record({"name": TEXT, "latest": NUMBER, "first": nullable(NUMBER), "logged_steps": COUNT})
                ),
                "step_seconds": nullable(NUMBER),
                "text": listed(TEXT),
            }
        ),
        "next_look": record({"seconds": nullable(NUMBER), "text": TEXT}),
    }
)
STATUS = record({"runs": listed(STATUS_OF_RUN), "errors": ERRORS, "jobs": JOBS})
