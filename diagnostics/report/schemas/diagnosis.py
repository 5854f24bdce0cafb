"""Schemas of `rlvitals diagnose` and `rlvitals preflight`: outcomes, causes, fixes and the time budget."""

from diagnostics.model.outcome import Severity
from diagnostics.report.schemas.runs import COST, ERRORS, RUN_FIELDS, VERDICT
from diagnostics.report.schemas.shapes import (
    ANYTHING,
    COUNT,
    FLAG,
    NUMBER,
    STEP,
    TEXT,
    Schema,
    either,
    keyed,
    listed,
    members,
    nullable,
    record,
    words,
)

SEVERITY = members(Severity)
FIX = record(
    {"parameter": TEXT, "current": ANYTHING, "suggested": ANYTHING, "why": TEXT, "source": TEXT},
)
_IDENTITY: dict[str, Schema] = {"code": TEXT, "rule": TEXT}
_JUDGED: dict[str, Schema] = {
    "grade": TEXT,
    "measured": nullable(NUMBER),
    "limit": nullable(NUMBER),
    "limit_is_default": FLAG,
    "unit": TEXT,
    "metric": TEXT,
    "message": TEXT,
    "source": TEXT,
    "derived": listed(record({"metric": TEXT, "from": listed(TEXT), "formula": TEXT, "precision": TEXT})),
}
_EPISODE = record(
    {
        "first_step": STEP,
        "last_step": STEP,
        "still": FLAG,
        "severity": SEVERITY,
        "peak": nullable(NUMBER),
        "peak_step": nullable(STEP),
        "limit": nullable(NUMBER),
        "share": nullable(NUMBER),
    }
)
_EVIDENCE = record(
    {
        "steps": listed(STEP),
        "values": listed(NUMBER),
        "samples": listed(record({"step": STEP, "row": COUNT, "why": TEXT, "quote": TEXT})),
    }
)
FIRED = record(
    {
        **_IDENTITY,
        "verdict": words("fired"),
        "severity": SEVERITY,
        "first_step": nullable(STEP),
        "last_step": nullable(STEP),
        "still": FLAG,
        "episodes": listed(_EPISODE),
        "headline": TEXT,
        **_JUDGED,
        "fixes": listed(FIX),
        "evidence": _EVIDENCE,
    }
)
OUTCOME = either(
    FIRED,
    record({**_IDENTITY, "verdict": words("quiet"), **_JUDGED}),
    record({**_IDENTITY, "verdict": words("skipped"), "applies": FLAG, "reason": TEXT, "enable": TEXT}),
    record({**_IDENTITY, "verdict": words("broken"), "message": TEXT, "enable": TEXT}),
)
"""Each verdict has fields of its own."""

CAUSE = record(
    {
        "cause": TEXT,
        "severity": SEVERITY,
        "first_step": STEP,
        "last_step": STEP,
        "summary": TEXT,
        "outcomes": listed(TEXT),
        "signs": listed(TEXT),
        "decided": FLAG,
        "against": listed(TEXT),
        "fixes": listed(FIX),
        "rivals": listed(record({"cause": TEXT, "decides": TEXT, "open": FLAG})),
        "track_record": nullable(record({"right": COUNT, "named": COUNT})),
    }
)
SETTINGS_FINDING = record(
    {
        **_IDENTITY,
        "severity": SEVERITY,
        "grade": TEXT,
        "message": TEXT,
        "parameters": listed(TEXT),
        "source": TEXT,
        "fixes": listed(FIX),
    }
)
_TIME_BUDGET = nullable(
    record(
        {
            "sentence": TEXT,
            "steps": COUNT,
            "step_seconds": NUMBER,
            "shares": keyed(NUMBER),
            "beside_seconds": keyed(NUMBER),
            "overlap": NUMBER,
            "bottleneck": nullable(
                record({"stage": TEXT, "share": NUMBER, "without": NUMBER, "is_bound": FLAG, "rivals": listed(TEXT)})
            ),
            "tail": nullable(record({"share": NUMBER, "limit": COUNT, "with_limit": NUMBER})),
        }
    )
)
_HEALTH = record(
    {
        **dict.fromkeys(("points", "nan", "inf", "duplicates", "rewinds", "gaps", "malformed"), COUNT),
        "unmapped_tags": listed(TEXT),
        "understood_tags": listed(TEXT),
    }
)
_MUTED = record(
    {
        "finding": TEXT,
        "severity": SEVERITY,
        "outcomes": listed(TEXT),
        "reason": TEXT,
        "run": TEXT,
        "until": nullable(TEXT),
    }
)
SINCE_PARENT = record(
    {
        "path": TEXT,
        "changes": keyed(record({"parent": ANYTHING, "child": ANYTHING})),
        "findings": listed(record({"fate": TEXT, "severity": SEVERITY, "summary": TEXT, "message": TEXT})),
        "new": listed(record({"severity": SEVERITY, "summary": TEXT})),
        "reward": nullable(TEXT),
    }
)
DIAGNOSE = record(
    {
        "runs": listed(
            record(
                {
                    **RUN_FIELDS,
                    "data_health": _HEALTH,
                    "verdict": VERDICT,
                    "vital_missing": listed(record({"check": TEXT, "rules": listed(TEXT), "enable": TEXT})),
                    "cost": COST,
                    "limits": keyed(keyed(NUMBER)),
                    "muted": listed(_MUTED),
                    "causes": listed(CAUSE),
                    "outcomes": listed(OUTCOME),
                    "preflight": listed(SETTINGS_FINDING),
                    "time_budget": _TIME_BUDGET,
                    "parent": nullable(TEXT),
                    "since_parent": nullable(SINCE_PARENT),
                }
            )
        ),
        "errors": ERRORS,
    }
)
