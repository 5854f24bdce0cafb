"""The schema of `rlvitals compare`."""

from diagnostics.report.schemas.diagnosis import SINCE_PARENT
from diagnostics.report.schemas.runs import ERRORS, RUN_FIELDS, VERDICT
from diagnostics.report.schemas.shapes import (
    ANYTHING,
    COUNT,
    FLAG,
    NUMBER,
    STEP,
    TEXT,
    listed,
    nullable,
    record,
)

_SETTING = record(
    {
        "argument": TEXT,
        "setting": nullable(TEXT),
        "group": TEXT,
        "values": listed(nullable(record({"argument": TEXT, "value": ANYTHING, "is_default": nullable(FLAG)}))),
    }
)
_FIGURE = record(
    {
        "metric": TEXT,
        "readings": listed(nullable(record({"step": STEP, "value": NUMBER}))),
        "changes": listed(nullable(record({"absolute": NUMBER, "relative": nullable(NUMBER)}))),
    }
)
_RUN = record(
    {
        "letter": TEXT,
        **RUN_FIELDS,
        "verdict": VERDICT,
        "summary": TEXT,
        "finding": nullable(TEXT),
        "first_step": nullable(STEP),
        "last_step": nullable(STEP),
        "still": nullable(FLAG),
        "unchecked": COUNT,
    }
)
COMPARE = record(
    {
        "runs": listed(_RUN),
        "step": nullable(STEP),
        "settings": record({"differing": listed(_SETTING), "partial": listed(_SETTING), "equal": COUNT}),
        "figures": listed(_FIGURE),
        "seed_groups": listed(listed(TEXT)),
        "relaunches": listed(record({"child": TEXT, "parent": TEXT, "since_parent": SINCE_PARENT})),
        "notes": listed(TEXT),
        "errors": ERRORS,
    }
)
