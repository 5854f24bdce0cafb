"""Schemas of the commands that list what is known: rules, metrics, causes, formats, and one entry of them."""

from diagnostics.report.schemas.shapes import (
    NUMBER,
    TEXT,
    either,
    keyed,
    listed,
    nullable,
    record,
    words,
)

_RULE = record(
    {
        "code": TEXT,
        "rule": TEXT,
        "for": either(words("any"), listed(TEXT)),
        "grade": TEXT,
        "source": TEXT,
        "finds": TEXT,
        "inputs": listed(either(TEXT, listed(TEXT))),
        "limits": keyed(NUMBER),
    }
)
RULES = record({"rules": listed(_RULE), "preflight": listed(_RULE)})

METRICS = record(
    {
        "metrics": listed(
            record(
                {
                    "name": TEXT,
                    "title": TEXT,
                    "unit": TEXT,
                    "meaning": TEXT,
                    "section": TEXT,
                    "healthy": TEXT,
                    "to_log": TEXT,
                    "formula": TEXT,
                    "slip": TEXT,
                    "low": nullable(NUMBER),
                    "high": nullable(NUMBER),
                    "kind": words("scalar", "histogram"),
                    "source": TEXT,
                }
            )
        )
    }
)

CAUSES = record(
    {
        "causes": listed(
            record(
                {
                    "cause": TEXT,
                    "summary": TEXT,
                    "meaning": TEXT,
                    "shown_by": listed(TEXT),
                    "supported_by": listed(TEXT),
                    "against": listed(TEXT),
                }
            )
        )
    }
)

FORMATS = record(
    {
        "formats": listed(
            record(
                {
                    "kind": words("file format", "producer"),
                    "name": TEXT,
                    "recognised_by": TEXT,
                    "title": TEXT,
                    "loss": TEXT,
                    "verified": words("yes", "no"),
                    "install": TEXT,
                },
                optional=("install",),
            )
        )
    }
)

_PAGE = {
    **record({"name": TEXT, "kind": TEXT, "sentence": TEXT}),
    "additionalProperties": either(TEXT, listed(TEXT)),
}
"""A page has further facts and sections by its kind, each a text or a list of texts."""
EXPLAIN = record({"pages": listed(_PAGE)})
