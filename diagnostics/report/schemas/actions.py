"""Schemas of the commands that do something and say so, of win rates, and of an error."""

from diagnostics.report.schemas.shapes import COUNT, FLAG, NUMBER, STEP, TEXT, listed, nullable, record

DONE = record({"message": TEXT})
"""`rlvitals mute`, `stop`, `import` and `skill`: the sentence that they print as text."""

ERROR = record({"error": TEXT})
"""Any command that cannot do what was asked: exit code 2, and the sentence that stands on stderr as well."""

EVALUATE = record(
    {
        "run": TEXT,
        "checkpoint": TEXT,
        "step": nullable(STEP),
        "judge": TEXT,
        "reference": nullable(TEXT),
        "prompts": COUNT,
        "left_out": COUNT,
        "is_verified": FLAG,
        "temperature": NUMBER,
        "seed": STEP,
        "results": listed(
            record(
                {
                    "policy": TEXT,
                    "against": TEXT,
                    "win_rate": NUMBER,
                    "low": NUMBER,
                    "high": NUMBER,
                    "wins": COUNT,
                    "ties": COUNT,
                    "losses": COUNT,
                    "judged": COUNT,
                    "identical": COUNT,
                    "inconsistent": COUNT,
                    "unjudged": COUNT,
                }
            )
        ),
    }
)

RECORD = record(
    {
        "metric": TEXT,
        "tag": TEXT,
        "unit": TEXT,
        "step": STEP,
        "time": nullable(NUMBER),
        "value": NUMBER,
        "replaced": FLAG,
    }
)
"""A line of `rlvitals export --format jsonl`."""
