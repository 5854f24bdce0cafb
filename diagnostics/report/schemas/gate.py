"""The schema of `rlvitals gate`."""

from typing import get_args

from diagnostics.gate.intervals import Basis
from diagnostics.gate.verdict import Group, State
from diagnostics.report.schemas.shapes import COUNT, NUMBER, STEP, TEXT, listed, members, nullable, record, words

_CHECK = record(
    {
        "group": words(*get_args(Group)),
        "name": TEXT,
        "state": members(State),
        "message": TEXT,
        "run": nullable(TEXT),
        "candidate": nullable(NUMBER),
        "baseline": nullable(NUMBER),
        "interval": nullable(
            record(
                {
                    "estimate": NUMBER,
                    "low": NUMBER,
                    "high": NUMBER,
                    "basis": words(*get_args(Basis)),
                }
            )
        ),
        "limit": nullable(NUMBER),
    }
)
GATE = record(
    {
        "state": members(State),
        "steps": listed(STEP),
        "false_fail_rate": NUMBER,
        "rate_of_one_bound": NUMBER,
        "candidates": listed(TEXT),
        "baseline_runs": COUNT,
        "checks": listed(_CHECK),
    }
)
